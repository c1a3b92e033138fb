"""The panel by which things are made to go wrong, on the page of a virtual table and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from flask import Flask, Response, request

from companion.errors import BadInputError
from companion.web.app import json_response


class FaultPanel(Protocol):
    """What can be made to go wrong (companion.virtual.faults.TableFaults)."""

    def listed(self) -> Sequence[Mapping[str, Any]]:
        """Each fault's id, label, whether it is on, and whether it lasts."""

    def switch(self, fault: str, is_on: bool) -> None:
        """Switches one. Raises BadInputError for one that is not there."""


def add_faults(app: Flask, panel: FaultPanel) -> None:
    """Gives an app's page the panel. To be called before the app answers."""
    app.config["HAS_FAULTS"] = True

    @app.get("/api/faults")
    def listed() -> Response:
        return json_response({"faults": list(panel.listed())})

    @app.post("/api/faults")
    def switch() -> Response:
        said = request.get_json()
        fault, is_on = (said.get("fault"), said.get("on")) if isinstance(said, dict) else (None, None)
        if not isinstance(fault, str) or not isinstance(is_on, bool):
            raise BadInputError('say which "fault", and with "on" whether it is true or false')
        panel.switch(fault, is_on)
        return json_response({"faults": list(panel.listed())})
