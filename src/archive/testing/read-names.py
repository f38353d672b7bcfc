# For each archive named on standard input: one line of JSON with the SHA-256 of every file that Python reads from it,
# or its error. Without the UTF-8 flag Python takes every name for code page 437; here it is UTF-8 where it can be.
import hashlib, json, sys, zipfile


def spell(entry):
    name = entry.orig_filename
    if not entry.flag_bits & 0x800:
        try:
            name = name.encode("cp437").decode("utf-8")
        except UnicodeError:
            pass
    return name.removeprefix("./")


for line in sys.stdin:
    try:
        with zipfile.ZipFile(line.strip()) as archive:
            files = [entry for entry in archive.infolist() if not entry.is_dir()]
            print(json.dumps({spell(file): hashlib.sha256(archive.read(file)).hexdigest() for file in files}))
    except Exception as error:
        print(json.dumps({"error": repr(error)}))
