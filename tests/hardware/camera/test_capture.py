"""The capture process: what it loses and what it doesn't, and every way in which a camera or a process can die."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import cv2
import numpy as np
import pytest

from hardware.camera.capture import CaptureLimits, CaptureState
from hardware.camera.notices import CameraNotice, NoticeKind
from hardware.camera.ring import Picture
from hardware.camera.sources import camera_factory

Watch = Callable[..., Any]

HASTY = CaptureLimits(lost_after_s=0.4, open_within_s=3.0, back_off_s=0.05, longest_back_off_s=0.1, restarts=3)


def alive(pid: int) -> bool:
    """True for a process that runs; a dead one that nobody reaped is dead."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def wait_until(true: Callable[[], bool], patience_s: float = 30.0) -> None:
    deadline = time.monotonic() + patience_s
    while not true():
        if time.monotonic() > deadline:
            raise TimeoutError("it never came true")
        time.sleep(0.02)


def numbers(values: list[Picture | CameraNotice]) -> list[int]:
    return [value.frame_id for value in values if isinstance(value, Picture)]


def test_a_recording_loses_no_picture_to_a_slow_reader(watch: Watch, fakes: ModuleType) -> None:
    got = watch(partial(fakes.Numbered, 60)).everything(slow_s=0.005)
    assert numbers(got) == list(range(60))
    assert all(int(p.image.min()) == int(p.image.max()) == p.frame_id for p in got if isinstance(p, Picture))
    assert got[0].name == "picture-0.jpg"
    assert isinstance(got[-1], CameraNotice)
    assert got[-1].kind is NoticeKind.END


def test_a_live_source_sheds_for_a_slow_reader_but_never_goes_back(watch: Watch, fakes: ModuleType) -> None:
    watched = watch(partial(fakes.Numbered, None, 0.002))
    pictures = []
    for _ in range(12):
        pictures.append(watched.picture())
        time.sleep(0.03)
    ids = [picture.frame_id for picture in pictures]
    assert ids == sorted(set(ids))
    assert ids[-1] > 12, "pictures in between were shed"
    assert watched.capture.stats().shed > 0
    assert all((picture.image == picture.frame_id % 256).all() for picture in pictures), "no picture is torn"


def test_the_reader_works_in_another_process(watch: Watch, fakes: ModuleType) -> None:
    spawn = multiprocessing.get_context("spawn")
    here, there = spawn.Pipe()
    watched = watch(partial(fakes.Numbered, 25))
    process = spawn.Process(target=fakes.see, args=(watched.capture.reader(), there))
    process.start()
    got = []
    while not isinstance(value := here.recv(), str):
        got.append(value)
    process.join()
    assert got == [(n, f"picture-{n}.jpg", n, n) for n in range(25)]
    assert value == "end"


def test_a_child_killed_from_outside_is_told_and_started_again(watch: Watch, fakes: ModuleType) -> None:
    watched = watch(partial(fakes.Numbered, None, 0.01), limits=HASTY)
    before = watched.picture()
    first = watched.capture.stats().pid
    os.kill(first, signal.SIGKILL)
    lost = watched.wait_for(NoticeKind.LOST)
    assert "camera stopped: check the cable" in lost.text
    assert "SIGKILL" in lost.text
    watched.wait_for(NoticeKind.BACK)
    assert watched.capture.state is CaptureState.LIVE
    assert watched.picture().frame_id > before.frame_id, "frame ids go on"
    assert watched.capture.stats().pid != first
    assert watched.capture.stats().restarts >= 1


def test_a_camera_that_blocks_for_ever_is_killed_and_started_again(
    watch: Watch, fakes: ModuleType, tmp_path: Path
) -> None:
    watched = watch(partial(fakes.Stuck, tmp_path / "lives"), limits=HASTY)
    watched.picture()
    stuck = watched.capture.stats().pid
    assert "no picture for" in watched.wait_for(NoticeKind.LOST).text
    watched.wait_for(NoticeKind.BACK)
    assert not alive(stuck)
    kinds = []
    wait_until(lambda: isinstance(value := watched.reader.get(0.1), CameraNotice) and not kinds.append(value.kind))
    assert kinds == [NoticeKind.LOST], "the reading process is told too"


def test_a_camera_that_hangs_while_it_is_opened_is_killed_and_given_up_in_the_end(
    watch: Watch, fakes: ModuleType, tmp_path: Path
) -> None:
    limits = CaptureLimits(open_within_s=0.3, back_off_s=0.01, longest_back_off_s=0.01, restarts=2)
    watched = watch(partial(fakes.Deaf, tmp_path / "lives"), limits=limits)
    failed = watched.wait_for(NoticeKind.FAILED)
    assert "given up after 3 attempts" in failed.text
    assert [notice.kind for notice in watched.notices] == [NoticeKind.LOST, NoticeKind.FAILED], "lost is told once"
    assert len((tmp_path / "lives").read_text()) == 3
    assert watched.capture.state is CaptureState.FAILED


def test_a_camera_that_says_that_it_stopped_is_lost_and_comes_back(
    watch: Watch, fakes: ModuleType, tmp_path: Path
) -> None:
    watched = watch(partial(fakes.Flaky, tmp_path / "lives"), limits=HASTY)
    assert "flaky: gives no picture" in watched.wait_for(NoticeKind.LOST).text
    watched.wait_for(NoticeKind.BACK)


def test_a_recording_that_can_resume_is_opened_again_and_loses_no_picture(
    watch: Watch, fakes: ModuleType, tmp_path: Path
) -> None:
    watched = watch(partial(fakes.Resuming, tmp_path / "lives", 6), limits=HASTY)
    assert numbers(watched.everything(slow_s=0.01)) == list(range(6))
    assert "resuming: unplugged" in watched.wait_for(NoticeKind.LOST).text
    watched.wait_for(NoticeKind.BACK)
    wait_until(lambda: watched.capture.state is CaptureState.ENDED)


def test_a_recording_whose_process_crashes_is_not_begun_again(watch: Watch, fakes: ModuleType) -> None:
    watched = watch(partial(fakes.Crashing, 10))
    assert "SIGSEGV" in watched.wait_for(NoticeKind.FAILED).text
    assert numbers(watched.everything()) == [0, 1]


def test_an_unreadable_picture_is_told_in_its_place_and_leaves_a_gap(watch: Watch, fakes: ModuleType) -> None:
    watched = watch(partial(fakes.Numbered, 4, 0.0, ((8, 8),), (1,)))
    got = watched.everything()
    assert [value.kind if isinstance(value, CameraNotice) else value.frame_id for value in got] == [
        *(0, NoticeKind.UNREADABLE, 2, 3),
        NoticeKind.END,
    ]
    assert isinstance(got[1], CameraNotice)
    assert (got[1].text, got[1].name) == ("picture-1.jpg: is empty", "picture-1.jpg")
    assert watched.wait_for(NoticeKind.UNREADABLE) == got[1], "the service hears the same"


def test_a_live_camera_that_gives_only_unreadable_pictures_is_lost(watch: Watch, fakes: ModuleType) -> None:
    factory = partial(fakes.Numbered, None, 0.001, ((8, 8),), range(5, 1000))
    watched = watch(factory, limits=HASTY)
    watched.wait_for(NoticeKind.LOST)
    assert sum(notice.kind is NoticeKind.UNREADABLE for notice in watched.notices) == 9


def test_a_size_that_changes_in_mid_stream_goes_through(watch: Watch, fakes: ModuleType) -> None:
    sizes = ((32, 48), (1080, 1920), (10, 10), (480, 640))
    got = watch(partial(fakes.Numbered, 12, 0.0, sizes)).everything()
    assert [p.image.shape[:2] for p in got if isinstance(p, Picture)] == [sizes[n % 4] for n in range(12)]


def test_a_source_that_is_not_there_fails_at_once_in_its_own_words(watch: Watch, fakes: ModuleType) -> None:
    watched = watch(fakes.missing)
    assert watched.wait_for(NoticeKind.FAILED).text == "/dev/video9: no such camera; no camera is plugged in"
    assert watched.capture.stats().restarts == 0
    assert watched.everything()[-1].kind is NoticeKind.FAILED


def test_a_source_that_failed_can_be_started_again_by_hand(watch: Watch, fakes: ModuleType) -> None:
    watched = watch(fakes.missing)
    watched.wait_for(NoticeKind.FAILED)
    watched.capture.start()
    watched.wait_for(NoticeKind.FAILED)


@pytest.mark.parametrize(
    ("factory", "words"),
    [("broken", "RuntimeError: unforeseen"), ("Rude", "ZeroDivisionError: a fault of its own")],
)
def test_a_fault_in_a_source_is_one_line_not_a_traceback(
    watch: Watch, fakes: ModuleType, factory: str, words: str
) -> None:
    watched = watch(partial(getattr(fakes, factory), *(() if factory == "broken" else (5,))))
    text = watched.wait_for(NoticeKind.FAILED).text
    assert words in text
    assert "\n" not in text


def test_what_is_no_picture_is_told_and_passed_over(watch: Watch, fakes: ModuleType) -> None:
    got = watch(partial(fakes.Odd, 4)).everything()
    assert numbers(got) == [0, 2, 3]


def test_a_recording_may_be_shown_at_a_pace(watch: Watch, fakes: ModuleType) -> None:
    began = time.monotonic()
    assert numbers(watch(partial(fakes.Numbered, 4), pace_s=0.1).everything()) == [0, 1, 2, 3]
    assert time.monotonic() - began >= 0.3, "three waits between four pictures"


def test_the_capture_process_loads_nothing_that_its_source_does_not_need(watch: Watch, fakes: ModuleType) -> None:
    watched = watch(fakes.Telling)
    watched.wait_for(NoticeKind.END)
    assert watched.capture.info.name == "none"


def test_stopping_leaves_no_process_behind_even_where_the_camera_hangs(
    watch: Watch, fakes: ModuleType, tmp_path: Path
) -> None:
    watched = watch(partial(fakes.Stuck, tmp_path / "lives", 1, 99))
    watched.picture()
    pid = watched.capture.stats().pid
    watched.capture.stop()
    watched.capture.stop()
    assert not Path(f"/proc/{pid}").exists(), "ended and reaped"
    assert watched.reader.get(1.0) is None


def test_ctrl_c_and_a_service_manager_do_not_reach_the_capture_process(watch: Watch, fakes: ModuleType) -> None:
    watched = watch(partial(fakes.Numbered, None, 0.01))
    last = watched.picture().frame_id
    for number in (signal.SIGINT, signal.SIGTERM):
        os.kill(watched.capture.stats().pid, number)
    for _ in range(5):
        last = watched.picture().frame_id
    assert last > 4
    assert watched.capture.stats().restarts == 0


def test_a_python_that_can_not_run_it_fails_at_once_in_its_own_words(
    watch: Watch, fakes: ModuleType, tmp_path: Path
) -> None:
    python = tmp_path / "python3"
    python.write_text("#!/bin/sh\necho \"ModuleNotFoundError: No module named 'numpy'\" >&2\nexit 1\n")
    python.chmod(0o755)
    watched = watch(partial(fakes.Numbered, 3), python=str(python))
    assert "No module named 'numpy'" in watched.wait_for(NoticeKind.FAILED).text
    assert watched.capture.stats().restarts == 0


def test_a_password_in_what_a_library_says_is_not_passed_on(watch: Watch, fakes: ModuleType) -> None:
    watched = watch(fakes.blabbing)
    text = watched.wait_for(NoticeKind.FAILED).text
    assert "//***@cam" in text
    assert "s3cret" not in text


@pytest.mark.soak
def test_a_camera_killed_fifty_times_leaves_neither_files_nor_processes(watch: Watch, fakes: ModuleType) -> None:
    limits = CaptureLimits(back_off_s=0.01, longest_back_off_s=0.01)
    watched = watch(partial(fakes.Numbered, None, 0.005), limits=limits)
    watched.picture()
    files, last = 0, -1
    for round_ in range(50):
        os.kill(watched.capture.stats().pid, signal.SIGKILL)
        watched.wait_for(NoticeKind.BACK)
        picture = watched.picture()
        assert picture.frame_id > last
        last = picture.frame_id
        if round_ == 5:
            files = len(list(Path("/proc/self/fd").iterdir()))
    assert len(list(Path("/proc/self/fd").iterdir())) <= files + 1
    children = subprocess.run(
        ["ps", "-o", "stat=", "--ppid", str(os.getpid())], capture_output=True, text=True, check=False
    )
    assert "Z" not in children.stdout


SERVICE = """
import sys, time
sys.path.append(sys.argv[1])
from functools import partial
import hoshiban_fake_cameras as fakes
from hardware.camera.capture import Capture
factory = partial(fakes.Deaf, sys.argv[2]) if sys.argv[3] == "Deaf" else partial(fakes.Numbered, None, 0.01)
capture = Capture(factory, "camera")
capture.start()
while capture.stats().pid is None or (sys.argv[3] == "Numbered" and capture.stats().pictures < 5):
    time.sleep(0.01)
print(capture.stats().pid, flush=True)
time.sleep(3600)
"""


@pytest.mark.parametrize("camera", ["Numbered", "Deaf"])
def test_a_service_killed_with_9_takes_its_capture_process_along_and_leaks_no_memory(
    fakes: ModuleType, tmp_path: Path, camera: str
) -> None:
    folder = str(Path(fakes.__file__ or "").parent)
    with subprocess.Popen(
        [sys.executable, "-c", SERVICE, folder, str(tmp_path / "lives"), camera], stdout=subprocess.PIPE, text=True
    ) as service:
        if service.stdout is None:
            raise OSError("no pipe")
        pid = int(service.stdout.readline())
        if camera == "Deaf":
            wait_until((tmp_path / "lives").exists)
        links = [str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir()]
        assert any("memfd:hoshiban-pictures" in link for link in links)
        assert not any(link.startswith("/dev/shm") for link in links), "memory without a name can't be left behind"
        service.kill()
    wait_until(lambda: not alive(pid))


def test_a_directory_of_pictures_comes_whole_and_in_order(watch: Watch, pictures: Path) -> None:
    (pictures / "bb.jpg").write_bytes(b"")
    got = watch(camera_factory(str(pictures))).everything()
    assert [value.name for value in got] == ["a.jpg", "b.PNG", "bb.jpg", "c.jpeg", ""]
    assert [getattr(value, "t_ns", None) for value in got if isinstance(value, Picture)] == [0, 10**9, 3 * 10**9]


def test_a_video_that_is_cut_short_ends_with_a_warning_on_the_way(watch: Watch, tmp_path: Path) -> None:
    path = tmp_path / "x.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, (64, 48))
    for n in range(30):
        writer.write(np.random.default_rng(n).integers(0, 256, (48, 64, 3), np.uint8))
    writer.release()
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    got = watch(camera_factory(str(path))).everything()
    notices = [value for value in got if isinstance(value, CameraNotice)]
    assert [notice.kind for notice in notices] == [NoticeKind.WARNING, NoticeKind.END]
    assert "cut short" in notices[0].text
    assert len(numbers(got)) > 5
