"""What any program needs: errors, files written whole or not at all, Parquet, progress, the frame of a job.

Nothing here knows about languages or models, or imports another package of the library.
"""
