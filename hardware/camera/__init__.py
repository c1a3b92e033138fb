"""Picture sources: directories, video files, USB and Pi cameras, network streams; and the process that reads them.

A source is opened by `sources.camera_factory` inside a child process that `capture.Capture` starts, watches and kills;
its pictures pass through the shared memory of `ring`.
"""
