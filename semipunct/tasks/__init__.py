"""Tasks, one file each: plain functions from data to data."""
