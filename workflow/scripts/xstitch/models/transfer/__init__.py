"""Transfer of task models to languages without labels: weights, critics, teachers, own answers.

`stages` and `task` hold what all ways share; `shifts` and `improvements` measure what they meet and bring.
"""
