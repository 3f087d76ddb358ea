"""Fetches every package of packages.tsv by name and unpacks it: fetch.py FOLDER."""

import pathlib
import subprocess
import sys
import tarfile
import zipfile

HERE = pathlib.Path(__file__).parent


def packages(folder=HERE):
    """The rows of packages.tsv: registry, name, version, licence, what is taken."""
    lines = (folder / "packages.tsv").read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def download(registry, name, version, into):
    """Downloads one package with the client of its registry; returns its file."""
    into.mkdir(parents=True, exist_ok=True)
    if not any(into.iterdir()):
        if registry == "pip":
            pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", "."]
            command = [*pip, f"{name}=={version}"]
        elif registry == "npm":
            command = ["npm", "pack", "--silent", f"{name}@{version}"]
        else:
            command = ["apt-get", "download", "-qq", f"{name}={version}"]
        subprocess.run(command, cwd=into, check=True, stdout=subprocess.DEVNULL)
    return next(into.iterdir())


def unpack(file, into):
    """Unpacks a wheel, a tarball or a Debian package."""
    into.mkdir(parents=True, exist_ok=True)
    if file.suffix == ".deb":
        subprocess.run(["dpkg-deb", "-x", file, into], check=True)
    elif file.suffix == ".whl":
        with zipfile.ZipFile(file) as archive:
            archive.extractall(into)
    else:
        with tarfile.open(file) as archive:
            archive.extractall(into, filter="data")


def main(folder):
    for registry, name, version, _, _ in packages():
        plain = name.rpartition("/")[2]
        unpacked = folder / plain
        if not unpacked.exists():
            unpack(download(registry, name, version, folder / "files" / plain), unpacked)
            print(name, version, flush=True)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
