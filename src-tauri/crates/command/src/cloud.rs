//! Servers at which a machine in a cloud asks for its own keys.

use percent_encoding::percent_decode_str;
use std::net::{Ipv4Addr, Ipv6Addr};

/// Returns true for a word with the address of such a server, also as the value of an option.
pub(crate) fn gives_keys(word: &str) -> bool {
    // All of them have one of these, and most words do not.
    if !word.bytes().any(|byte| matches!(byte, b'.' | b':' | b'0'..=b'9')) {
        return false;
    }
    let value = word.split_once('=').map(|(_, value)| value);
    std::iter::once(word).chain(value).any(is_metadata_server)
}

/// Returns true for the address of such a server, with a scheme or without.
fn is_metadata_server(address: &str) -> bool {
    // Some programs take `http:/host` and `http:///host`, too.
    let behind = address.split_once(":/").map(|(_, rest)| rest.trim_start_matches('/'));
    // curl and wget resolve percent signs in a host.
    let host = |address| percent_decode_str(likely_host(address)).decode_utf8_lossy();
    behind.is_some_and(|rest| is_server_of_link(&host(rest))) || is_known_server(&host(address))
}

/// Returns the host that some program may take from an address. `effect::host_of` returns one only where all agree.
fn likely_host(address: &str) -> &str {
    let authority = address.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    match host.strip_prefix('[') {
        Some(inner) => inner.split([']', '%']).next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default().trim_end_matches('.'),
    }
}

/// Returns true for a host behind a scheme, where short names and all addresses of the link count, too.
fn is_server_of_link(host: &str) -> bool {
    ["instance-data", "metadata"].iter().any(|name| name.eq_ignore_ascii_case(host))
        || host.starts_with("169.254.")
        || four_bytes(host).is_some_and(|ip| ip.is_link_local())
        || is_known_server(host)
}

/// Returns true for the names and addresses that clouds document.
fn is_known_server(host: &str) -> bool {
    const NAMES: [&str; 5] = [
        "instance-data.ec2.internal", "metadata.azure.internal", "metadata.goog", "metadata.google.internal",
        "metadata.tencentyun.com",
    ];
    const ADDRESSES: [[u8; 4]; 4] =
        [[100, 100, 100, 200], [169, 254, 169, 254], [169, 254, 170, 2], [169, 254, 170, 23]];
    let is_known = |ip: Ipv4Addr| ADDRESSES.contains(&ip.octets());
    let of_amazon = |ip: Ipv6Addr| ip.segments()[..2] == [0xfd00, 0xec2];
    NAMES.iter().any(|name| name.eq_ignore_ascii_case(host))
        || four_bytes(host).is_some_and(is_known)
        || host.parse::<Ipv6Addr>().is_ok_and(|ip| of_amazon(ip) || ip.to_ipv4_mapped().is_some_and(is_known))
}

/// Returns an address in any spelling that programs take: `169.254.43518`, `0xa9fea9fe`, `0251.254.0xa9.254`. inet_aton(3)
fn four_bytes(host: &str) -> Option<Ipv4Addr> {
    let (before, last) = host.rsplit_once('.').unwrap_or(("", host));
    let mut bytes = Vec::new();
    for part in before.split('.').filter(|_| !before.is_empty()) {
        bytes.push(u8::try_from(number(part)?).ok()?);
    }
    let rest = number(last)?.to_be_bytes();
    let (zeros, own) = rest.split_at_checked(bytes.len())?;
    if own.is_empty() || zeros.iter().any(|byte| *byte != 0) {
        return None;
    }
    bytes.extend(own);
    Some(Ipv4Addr::from(<[u8; 4]>::try_from(bytes).ok()?))
}

fn number(part: &str) -> Option<u32> {
    match part.strip_prefix("0x").or_else(|| part.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None if part.starts_with('0') => u32::from_str_radix(part, 8).ok(),
        None => part.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::gives_keys;

    #[test]
    fn a_server_of_keys_is_known_in_every_spelling() {
        for word in [
            "http://169.254.169.254/latest/meta-data/", "169.254.169.254:80", "http://2852039166/x",
            "http://0xA9FEA9FE", "http://169.254.43518", "http://u:p@metadata.google.internal./x",
            "--url=http://[fd00:ec2::254]/?a=b", "http://METADATA:80/computeMetadata/v1",
            "metadata.google.internal/computeMetadata/v1", "u@169.254.169.254/x", "0xa9fea9fe/x",
            "100.100.100.200", "http:/169.254.169.254/x", "http:///169.254.169.254/x",
            "http://025177524776/", "http://0251.0376.0251.0376/x", "http://0xa9.0xfe.0xa9.0xfe:80",
            "http://[fd00:0ec2::0254]/x", "http://[::ffff:169.254.169.254]/x", "[::ffff:a9fe:a9fe]:80/x",
            "169.254.169.254:/x", "http://169.254.169.25%34/x", "m%65tadata.google.internal/x",
        ] {
            assert!(gives_keys(word), "{word}");
        }
        for word in [
            "", "metadata", "http://metadata.example/x", "https://a.example/169.254.1", "1.169.254.3", "a=b",
            "169.254.1.1", "http://10.0.0.1/x", "http://[::1]/x", "1.2.3.4.5", "http://169.254/x", "x@y",
            "2.0",
        ] {
            assert!(!gives_keys(word), "{word}");
        }
    }
}
