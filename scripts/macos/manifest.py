"""Prints the manifest of updates for the app's updater: the version, and where each processor's archive is, with its signature.

    python3 manifest.py ARCHIVE VERSION ADDRESS

ARCHIVE.sig is its signature, as `tauri signer sign` writes it; ADDRESS is the folder that the archive will be in. A manifest that the app
would refuse is not written: the signature has to be by the key in POSTERN_UPDATE_KEY, and has to name the version.
"""
import base64
import datetime
import json
import os
import pathlib
import sys

if len(sys.argv) != 4:
    sys.exit(__doc__)
archive, version, address = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]


def lines(text):
    """The lines of a file of minisign, which Tauri keeps as base64."""
    return base64.b64decode(text, validate=True).decode().splitlines()


def key_id(line):
    """Which key it is, or was signed by: two bytes name the algorithm, and eight the key."""
    return base64.b64decode(line, validate=True)[2:10]


if not address.startswith('https://'):
    sys.exit(f'error: {address} is no HTTPS address')
signature = archive.with_name(archive.name + '.sig').read_text().strip()
signed = lines(signature)
if key_id(signed[1]) != key_id(lines(os.environ['POSTERN_UPDATE_KEY'].strip())[1]):
    sys.exit('error: it is signed by another key than the app knows')
if f'version:{version}' not in signed[2].removeprefix('trusted comment: ').split('\t'):
    sys.exit(f'error: the signature does not name version {version}')

place = {'url': f'{address}/{archive.name}', 'signature': signature}
manifest = {
    'version': version,
    'pub_date': datetime.datetime.now(datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%SZ'),
    'size': archive.stat().st_size,
    'platforms': {f'darwin-{arch}': place for arch in ('aarch64', 'x86_64')},
}
print(json.dumps(manifest, indent=2))
