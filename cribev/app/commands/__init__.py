"""The commands of the app: `pocket` and `serve`. Each module holds its command, in capitals."""
