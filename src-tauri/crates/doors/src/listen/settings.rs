//! Settings of a door over TCP: its address, and TLS.

use crate::values::{DoorValues, absolute};
use postern_contract::methods::ControlError;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Address of a door.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListenSettings {
    pub(crate) listen: SocketAddr,
    pub(crate) tls: Tls,
}

/// Protection of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Tls {
    /// Nothing: on loopback alone.
    Off,
    /// A certificate of its own, whose fingerprint the person compares.
    SelfSigned,
    /// A certificate that was given: PEM files of the chain and its key.
    Given { chain: PathBuf, key: PathBuf },
}

impl ListenSettings {
    /// Reads what was typed; `usual` is where it listens when nothing is said.
    pub(crate) fn from_values(values: &DoorValues, usual: &str) -> Result<Self, ControlError> {
        let text = values.get("listen").map_or(usual, String::as_str);
        let listen: SocketAddr = text.parse().map_err(|_| {
            ControlError::invalid(format!("listen is an address and a port, such as {usual} or [::1]:7717"))
        })?;
        let tls = match (values.get("tls").map(String::as_str), values.get("cert"), values.get("key")) {
            (Some("given") | None, Some(chain), Some(key)) => {
                Tls::Given { chain: absolute("cert", chain)?, key: absolute("key", key)? }
            }
            (Some("given"), ..) | (_, Some(_), None) | (_, None, Some(_)) => {
                return Err(ControlError::invalid(
                    "a given certificate needs both cert=FILE.pem and key=FILE.pem",
                ));
            }
            (Some("self-signed"), None, None) => Tls::SelfSigned,
            (Some("off"), None, None) => Tls::Off,
            (None, None, None) => {
                if listen.ip().is_loopback() {
                    Tls::Off
                } else {
                    Tls::SelfSigned
                }
            }
            (Some(_), ..) => {
                return Err(ControlError::invalid("tls is off, self-signed or given (with cert and key)"));
            }
        };
        if tls == Tls::Off && !listen.ip().is_loopback() {
            return Err(ControlError::refused(
                "without TLS this integration listens only on localhost: listen=127.0.0.1:PORT, or tls=self-signed",
            ));
        }
        Ok(Self { listen, tls })
    }
}

#[cfg(test)]
mod tests {
    use super::{ListenSettings, Tls};
    use crate::values::DoorValues;

    fn read(pairs: &[(&str, &str)]) -> Result<ListenSettings, String> {
        let values: DoorValues =
            pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        ListenSettings::from_values(&values, "127.0.0.1:7717").map_err(|error| error.message)
    }

    #[test]
    fn away_from_this_machine_it_speaks_tls() {
        assert_eq!(read(&[]).unwrap().tls, Tls::Off, "loopback needs none");
        assert_eq!(read(&[("listen", "0.0.0.0:7717")]).unwrap().tls, Tls::SelfSigned);
        let refused = read(&[("listen", "192.168.1.2:7717"), ("tls", "off")]).unwrap_err();
        assert!(refused.contains("only on localhost"), "{refused}");
        assert_eq!(
            read(&[("tls", "self-signed")]).unwrap().tls,
            Tls::SelfSigned,
            "also on loopback where wanted"
        );
    }

    #[test]
    fn a_given_certificate_is_both_its_files() {
        let given = read(&[("cert", "/c.pem"), ("key", "/k.pem")]).unwrap().tls;
        assert_eq!(given, Tls::Given { chain: "/c.pem".into(), key: "/k.pem".into() });
        for half in [&[("cert", "/c.pem")][..], &[("key", "/k.pem")], &[("tls", "given")]] {
            assert!(read(half).unwrap_err().contains("both"), "{half:?}");
        }
        assert!(read(&[("cert", "c.pem"), ("key", "/k.pem")]).unwrap_err().contains("absolute"));
        assert!(read(&[("tls", "of")]).unwrap_err().contains("off, self-signed or given"));
        assert!(read(&[("listen", "localhost")]).unwrap_err().contains("127.0.0.1:7717"));
    }
}
