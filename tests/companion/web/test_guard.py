"""Who may talk to the page."""

from __future__ import annotations

import pytest

from companion.web.guard import host_allowed

NAMES = frozenset({"table", "table.local"})


@pytest.mark.parametrize(
    "host", ["localhost:8765", "127.0.0.1:8765", "127.0.0.1", "[::1]:8765", "LOCALHOST", "localhost.:80"]
)
def test_this_machine_is_always_a_name_of_the_page(host: str) -> None:
    assert host_allowed(host, lan=False, names=NAMES)
    assert host_allowed(host, lan=True, names=NAMES)


@pytest.mark.parametrize("host", ["192.168.1.20:8765", "table.local:8765", "Table", "[fe80::1]:8765"])
def test_the_machines_addresses_and_names_count_on_the_local_network_only(host: str) -> None:
    assert host_allowed(host, lan=True, names=NAMES)
    assert not host_allowed(host, lan=False, names=NAMES)


@pytest.mark.parametrize(
    "host", ["", "evil.example", "127.0.0.1.evil.example", "table.local.evil.example", "localhost.evil.example:80"]
)
def test_a_name_that_another_site_points_at_this_machine_is_refused(host: str) -> None:
    assert not host_allowed(host, lan=True, names=NAMES)
    assert not host_allowed(host, lan=False, names=NAMES)
