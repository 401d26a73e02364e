"""Puts an app together, as tauri's bundler does on a Mac: from tauri.conf.json, and programs that are built already.

    python3 assemble.py PROGRAMS APP

PROGRAMS has postern-desktop, postern and postern-run for macOS; linux/{aarch64,x86_64}/postern-run, unless the app is to be
without; and Assets.car if the icon's layers were compiled.
"""
import json
import pathlib
import plistlib
import re
import shutil
import sys

if len(sys.argv) != 3:
    sys.exit(__doc__)
root = pathlib.Path(__file__).resolve().parents[2]
programs, app = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
conf = json.loads((root / 'tauri.conf.json').read_text())
mac = conf['bundle']['macOS']
# Python's parser of TOML is newer than Xcode's Python.
version = re.search(r'^version = "(.*)"$', (root / 'Cargo.toml').read_text(), re.MULTILINE)[1]
contents = app / 'Contents'

for name in ('postern-desktop', 'postern', 'postern-run'):
    target = contents / 'MacOS' / name
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(programs / name, target)
for arch in ('aarch64', 'x86_64') if (programs / 'linux').exists() else ():
    target = contents / 'Resources' / 'linux' / arch / 'postern-run'
    target.parent.mkdir(parents=True)
    shutil.copy2(programs / 'linux' / arch / 'postern-run', target)
(contents / 'Resources').mkdir(exist_ok=True)
icon = next(name for name in conf['bundle']['icon'] if name.endswith('.icns'))
shutil.copy2(root / icon, contents / 'Resources' / 'icon.icns')
layers = programs / 'Assets.car'
if layers.exists():
    shutil.copy2(layers, contents / 'Resources' / 'Assets.car')
for inside, source in mac.get('files', {}).items():
    target = contents / inside
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(root / source, target)

info = {
    'CFBundleDevelopmentRegion': 'en',
    'CFBundleDisplayName': conf['productName'],
    'CFBundleExecutable': 'postern-desktop',
    'CFBundleIconFile': 'icon.icns',
    'CFBundleIdentifier': conf['identifier'],
    'CFBundleInfoDictionaryVersion': '6.0',
    'CFBundleName': conf['productName'],
    'CFBundlePackageType': 'APPL',
    'CFBundleShortVersionString': version,
    'CFBundleVersion': version,
    'LSApplicationCategoryType': 'public.app-category.developer-tools',
    'LSMinimumSystemVersion': mac['minimumSystemVersion'],
    'NSHighResolutionCapable': True,
}
if layers.exists():
    info['CFBundleIconName'] = 'Postern'
info |= plistlib.loads((root / mac.get('infoPlist', 'Info.plist')).read_bytes())
(contents / 'Info.plist').write_bytes(plistlib.dumps(info))
(contents / 'PkgInfo').write_text('APPL????')
