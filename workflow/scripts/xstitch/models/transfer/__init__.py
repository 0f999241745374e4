"""Transfer of task models to languages without labels: alignment, distillation and self-training.

`stages` and `task` hold what all methods share; `shifts` measures how languages differ, `improvements` what
adaptation gains.
"""
