"""Rollouts whose memory is known: procedural scenes, an offline renderer and graded faults.

Example:
    >>> from revisit_metric.controls import build_scene, parse_fault
    >>> build_scene("living_room", 3).category, parse_fault("slow:0.5").strength
    ('indoor', 0.5)
"""

from revisit_metric.controls.coverage import forgettable_share
from revisit_metric.controls.faults import Fault, parse_fault, realised_poses
from revisit_metric.controls.layouts import LAYOUTS, build_scene
from revisit_metric.controls.renderer import Frame, MissingRenderer, Renderer, available
from revisit_metric.controls.rollout import Event, GroundTruth, Rollout, render_rollout
from revisit_metric.controls.scene import Scene, clearance_m

__all__ = [
    "LAYOUTS",
    "Event",
    "Fault",
    "Frame",
    "GroundTruth",
    "MissingRenderer",
    "Renderer",
    "Rollout",
    "Scene",
    "available",
    "build_scene",
    "clearance_m",
    "forgettable_share",
    "parse_fault",
    "realised_poses",
    "render_rollout",
]
