"""The training engine: batches, schedules, the loop, checkpoints, devices and the history of a run.

It trains any module; encoders and task models build on it elsewhere.
"""
