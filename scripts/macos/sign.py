"""Signs an app ad hoc, with the hardened runtime, as scripts/bundle-mac does on a Mac: inside out, each program under its own id.

    python3 sign.py APP
"""
import pathlib
import sys

from apple_platform import PathSettings, sign

if len(sys.argv) != 2:
    sys.exit(__doc__)
entitlements = pathlib.Path(__file__).resolve().parents[2] / 'packaging/macos/entitlements.plist'
programs = {'@main': 'dev.postern.desktop', 'Contents/MacOS/postern': 'dev.postern.cli', 'Contents/MacOS/postern-run': 'dev.postern.run'}
sign(sys.argv[1], paths={
    scope: PathSettings(binary_identifier=name, code_signature_flags=['runtime'], entitlements_xml_file=str(entitlements))
    for scope, name in programs.items()
})
