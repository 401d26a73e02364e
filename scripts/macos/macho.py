"""Mach-O files, as far as the checks look: what each part needs of the system, and what its signature claims.

    python3 macho.py --arch aarch64 [--most BYTES] FILE…

Prints one line per file, and fails where one is for another processor or another minimum version, looks a symbol up that no
library was named for, needs a library that is not listed here, or a weak or private one, or has more bytes than it may have.
"""
import argparse
import hashlib
import pathlib
import plistlib
import struct
import sys

# Libraries that every macOS since 13.0 has. A new one is added here after looking that up.
LIBRARIES = {'/usr/lib/libSystem.B.dylib', '/usr/lib/libobjc.A.dylib', '/usr/lib/libiconv.2.dylib'}
FRAMEWORKS = {
    'AppKit', 'ApplicationServices', 'Carbon', 'CoreFoundation', 'CoreGraphics', 'CoreServices', 'CoreVideo', 'Foundation',
    'IOSurface', 'LocalAuthentication', 'OSAKit', 'QuartzCore', 'Security', 'ServiceManagement', 'SystemConfiguration',
    'UserNotifications', 'WebKit',
}
# Programs that need less of the system than that: by name.
ONLY = {'postern-run': {'/usr/lib/libSystem.B.dylib', '/usr/lib/libiconv.2.dylib'}}
MINIMUM = (13, 0)
CPUS = {0x0100000C: 'aarch64', 0x01000007: 'x86_64'}
FAT, THIN = 0xCAFEBABE, 0xFEEDFACF
FLAGS = {'NOUNDEFS': 0x1, 'TWOLEVEL': 0x80, 'PIE': 0x200000}
SYMBOLS, DYNAMIC_SYMBOLS, SIGNATURE, BUILD_VERSION, RPATH = 0x2, 0xB, 0x1D, 0x32, 0x8000001C
LOAD = 0xC
LOADS = {LOAD: 'needs', 0x80000018: 'needs, weakly,', 0x8000001F: 'passes on', 0x20: 'needs, late,', 0x80000023: 'needs, upward,'}
WEAK, LOOKED_UP = 0x40, 0xFE  # n_desc of a symbol: may be missing; its library is found at run time


def slices(data):
    """The Mach-Os of one processor each in a file."""
    if struct.unpack('>I', data[:4])[0] == FAT:
        count = struct.unpack('>I', data[4:8])[0]
        for at in range(count):
            _, _, offset, size, _ = struct.unpack('>5I', data[8 + 20 * at:28 + 20 * at])
            yield data[offset:offset + size]
    elif struct.unpack('<I', data[:4])[0] == THIN:
        yield data


def text(data, start):
    return data[start:data.index(b'\0', start)].decode()


class Part:
    """A Mach-O of one processor."""

    def __init__(self, data):
        self.size = len(data)
        _, cpu, _, _, count, _, flags, _ = struct.unpack('<8I', data[:32])
        self.arch = CPUS.get(cpu, hex(cpu))
        self.flags = {name for name, bit in FLAGS.items() if flags & bit}
        self.minimum, self.libraries, self.rpaths, self.imports, self.signature = None, [], [], {}, None
        table = None
        at = 32
        for _ in range(count):
            kind, size = struct.unpack('<II', data[at:at + 8])
            command = data[at:at + size]
            word = lambda offset: struct.unpack('<I', command[offset:offset + 4])[0]
            if kind in LOADS:
                self.libraries.append((kind, text(command, word(8))))
            elif kind == RPATH:
                self.rpaths.append(text(command, word(8)))
            elif kind == BUILD_VERSION:
                self.minimum = (word(12) >> 16, word(12) >> 8 & 0xFF)
            elif kind == SYMBOLS:
                table = (word(8), word(16))
            elif kind == DYNAMIC_SYMBOLS:
                self.imports = read_imports(data, *table, word(24), word(28))
            elif kind == SIGNATURE:
                self.signature = read_signature(data[word(8):word(8) + word(12)], data)
            at += size


def read_imports(data, symbols, strings, first, count):
    """The names of the undefined symbols, and the description of each."""
    found = {}
    for at in range(symbols + 16 * first, symbols + 16 * (first + count), 16):
        name, _, _, described, _ = struct.unpack('<IBBHQ', data[at:at + 16])
        found[text(data, strings + name)] = described
    return found


def read_signature(blob, code):
    """The flags, signing id, team, entitlements and hashes of a signature; None without a code directory."""
    found = {'entitlements': {}}
    for at in range(struct.unpack('>I', blob[8:12])[0]):
        kind, offset = struct.unpack('>II', blob[12 + 8 * at:20 + 8 * at])
        length = struct.unpack('>I', blob[offset + 4:offset + 8])[0]
        part = blob[offset:offset + length]
        if kind == 0:
            version, flags, _, ident = struct.unpack('>4I', part[8:24])
            team = struct.unpack('>I', part[48:52])[0] if version >= 0x20200 else 0
            found |= {'flags': flags, 'id': text(part, ident), 'team': text(part, team) if team else None} | read_hashes(part, code)
        elif kind == 5:
            found['entitlements'] = plistlib.loads(part[8:]) if len(part) > 8 else {}
    return found if 'id' in found else None


def read_hashes(directory, code):
    """How many pages of the code are not those that were signed, and the hashes of what is signed besides: slot -> SHA-256."""
    first, _, others, pages, limit = struct.unpack('>5I', directory[16:36])
    size, kind, _, page = directory[36:40]
    if (size, kind) != (32, 2):
        return {'changed': pages, 'slots': {}}
    at = lambda slot: directory[first + size * slot:first + size * (slot + 1)]
    cut = range(0, limit, 1 << page)
    changed = sum(hashlib.sha256(code[start:min(start + (1 << page), limit)]).digest() != at(slot) for slot, start in enumerate(cut))
    return {'changed': changed + abs(len(cut) - pages), 'slots': {slot: at(-slot) for slot in range(1, others + 1)}}


def allowed(library, program):
    if program in ONLY:
        return library in ONLY[program]
    parts = pathlib.PurePosixPath(library).parts
    return library in LIBRARIES or (
        parts[1:4] == ('System', 'Library', 'Frameworks') and parts[4].removesuffix('.framework') in FRAMEWORKS)


def problems(part, program):
    """Yields what a part needs of the system that it should not."""
    for flag in FLAGS.keys() - part.flags:
        yield f'has no {flag}'
    if part.minimum != MINIMUM:
        yield f'is not for macOS {MINIMUM[0]}.{MINIMUM[1]}, but {part.minimum}'
    for kind, library in part.libraries:
        if kind != LOAD or not allowed(library, program):
            yield f'{LOADS[kind]} {library}'
    for path in part.rpaths:
        yield f'looks for libraries in {path}'
    for name, described in part.imports.items():
        if described & WEAK or described >> 8 == LOOKED_UP:
            yield f'leaves {name} to the moment when it starts'
    if not part.imports:
        yield 'imports nothing'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--arch', choices=CPUS.values(), required=True)
    parser.add_argument('--most', type=int)
    parser.add_argument('files', nargs='+', type=pathlib.Path)
    args = parser.parse_args()
    wrong = []
    for path in args.files:
        parts = [Part(data) for data in slices(path.read_bytes())]
        if [part.arch for part in parts] != [args.arch]:
            wrong.append(f'{path} is for {[part.arch for part in parts]}')
            continue
        part = parts[0]
        wrong += [f'{path} {what}' for what in problems(part, path.name)]
        if args.most is not None and part.size > args.most:
            wrong.append(f'{path} has {part.size} bytes, and may have {args.most}')
        names = ', '.join(sorted(pathlib.PurePosixPath(library).name for _, library in part.libraries))
        print(f'    {path.name}: {part.size} bytes, {len(part.imports)} imports of {names}')
    if wrong:
        sys.exit('\n'.join(f'error: {what}' for what in wrong))


if __name__ == '__main__':
    main()
