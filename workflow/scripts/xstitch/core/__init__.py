"""What any program needs: errors, files that appear whole, Parquet, progress, the frame of a job.

Nothing here knows of languages or models, and nothing here imports another package of the library.
"""
