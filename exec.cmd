@rem In place of the shell's `exec`, which cmd.exe lacks: scripts of package.json that begin with it start the same command.
@%*
