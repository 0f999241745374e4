"""The training engine: batches, schedules, the loop, checkpoints, devices and the history of a run.

It trains whatever it is given; encoders and task models are built on it elsewhere.
"""
