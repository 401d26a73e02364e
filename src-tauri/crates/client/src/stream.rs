//! Byte streams: a Unix socket, or TCP to the host's forwarder if a virtual machine lies between.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpStream, ToSocketAddrs as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// Prefix of a socket that is reached over TCP: `tcp://HOST:PORT`.
const TCP: &str = "tcp://";
/// Time that each address of a host has to accept.
const PATIENCE: Duration = Duration::from_secs(10);

/// Returns the address in `tcp://HOST:PORT`; none for the path of a Unix socket.
pub fn tcp_address(socket: &Path) -> Option<&str> {
    socket.to_str()?.strip_prefix(TCP)
}

#[derive(Debug)]
pub(crate) enum SocketStream {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl SocketStream {
    /// Connects to a path, or to `tcp://HOST:PORT`.
    pub(crate) fn connect(socket: &Path) -> io::Result<Self> {
        let Some(address) = tcp_address(socket) else { return UnixStream::connect(socket).map(Self::Unix) };
        let mut last = io::Error::new(io::ErrorKind::NotFound, format!("no host is called {address}"));
        for address in address.to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, PATIENCE) {
                // Small messages that somebody waits for.
                Ok(stream) => return stream.set_nodelay(true).map(|()| Self::Tcp(stream)),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    pub(crate) fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        match self {
            Self::Unix(stream) => stream.set_nonblocking(nonblocking),
            Self::Tcp(stream) => stream.set_nonblocking(nonblocking),
        }
    }

    /// Sends nothing more.
    pub(crate) fn finish(&self) -> io::Result<()> {
        match self {
            Self::Unix(stream) => stream.shutdown(Shutdown::Write),
            Self::Tcp(stream) => stream.shutdown(Shutdown::Write),
        }
    }

    pub(crate) fn set_read_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        match self {
            Self::Unix(stream) => stream.set_read_timeout(timeout),
            Self::Tcp(stream) => stream.set_read_timeout(timeout),
        }
    }

    pub(crate) fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Unix(stream) => stream.read(into),
            Self::Tcp(stream) => stream.read(into),
        }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Unix(stream) => stream.write(bytes),
            Self::Tcp(stream) => stream.write(bytes),
        }
    }
}

impl AsFd for SocketStream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Unix(stream) => stream.as_fd(),
            Self::Tcp(stream) => stream.as_fd(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::tcp_address;
    use std::path::Path;

    #[test]
    fn a_path_is_a_path_and_an_address_is_an_address() {
        assert_eq!(
            tcp_address(Path::new("tcp://host.docker.internal:7719")),
            Some("host.docker.internal:7719")
        );
        for path in ["/run/postern/agent.sock", "agent.sock", "tcp:/x", "/tcp://x:1"] {
            assert_eq!(tcp_address(Path::new(path)), None, "{path}");
        }
    }
}
