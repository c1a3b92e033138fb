"""Picture sources: cameras, streams, videos and directories, each behind one interface."""
