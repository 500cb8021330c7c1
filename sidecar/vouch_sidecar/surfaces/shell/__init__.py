"""The shell's commands for operations, run by a process that serves already, else by this one."""
