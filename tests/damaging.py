"""Damage that a file of a cache may suffer."""

import os


def damage_file(file, whole, damage):
    """Put something else in the place of a file; tell whether it is one of these ways."""
    flipped = bytearray(whole)
    flipped[len(flipped) // 2] ^= 1
    contents = {
        "flipped": flipped,
        "cut": whole[: len(whole) // 2],
        "empty": b"",
        "text": b"not an archive\n" * 100,
    }
    if damage in contents:
        file.write_bytes(contents[damage])
    elif damage == "pipe":
        os.mkfifo(file)
    elif damage == "folder":
        file.mkdir()
    elif damage == "circle":
        file.symlink_to(file)
    else:
        return False
    return True
