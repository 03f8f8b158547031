"""Entry point for `evaluate.load("./revisit_metric")`; the code is in `revisit_metric.metric`."""

from revisit_metric.metric import RevisitMetric

__all__ = ["RevisitMetric"]
