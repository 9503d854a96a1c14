"""The commands of `locomote`, one file each: options and help; the work is in files of `cli`, imported when it is asked for."""
