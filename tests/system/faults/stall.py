import ctypes, os, struct, sys, threading
path = sys.argv[1]
device = os.open('/dev/fuse', os.O_RDWR)
libc = ctypes.CDLL(None, use_errno=True)
options = f'fd={device},rootmode=40000,user_id=0,group_id=0,allow_other'
if libc.mount(b'stalled', path.encode(), b'fuse', 0, options.encode()) != 0:
    sys.exit(1)
threading.Thread(target=lambda: (os.stat(path), print('ready', flush=True)), daemon=True).start()
INIT, GETATTR = 26, 3
while True:
    request = os.read(device, 1 << 20)
    _, kind, unique = struct.unpack('<IIQ', request[:16])
    if kind == INIT:
        major, minor, ahead, _ = struct.unpack('<IIII', request[40:56])
        body = struct.pack('<IIIIHHIIHHI28x', 7, 31, ahead, 0, 12, 10, 1 << 16, 1, 16, 0, 0)
    elif kind == GETATTR:
        body = struct.pack('<QII6Q3I7I', 1 << 30, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0o40755, 2, 0, 0, 0, 4096, 0)
    else:
        continue
    os.write(device, struct.pack('<IiQ', 16 + len(body), 0, unique) + body)
    if kind == GETATTR:
        break
threading.Event().wait()
