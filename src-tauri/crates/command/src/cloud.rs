//! Servers at which a machine in a cloud asks for its own keys.

/// Returns true for a word with the address of such a server, also as the value of an option.
pub(crate) fn gives_keys(word: &str) -> bool {
    let value = word.split_once('=').map(|(_, value)| value);
    std::iter::once(word).chain(value).any(is_metadata_server)
}

/// Returns true for the address of such a server, which has many spellings: `169.254.43518`, `0xa9fea9fe`.
fn is_metadata_server(address: &str) -> bool {
    const BARE: [&str; 2] = ["169.254.169.254", "169.254.170.2"];
    const NAMES: [&str; 6] = [
        "100.100.100.200", "instance-data", "metadata", "metadata.azure.internal",
        "metadata.google.internal", "metadata.tencentyun.com",
    ];
    const BEGINNINGS: [&str; 3] = ["169.254.", "0xa9fe", "[fd00:ec2:"];
    // Without a scheme a word may be anything.
    let Some((_, behind)) = address.split_once("://") else {
        return BARE.iter().any(|host| address.starts_with(host));
    };
    let authority = behind.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default().to_ascii_lowercase();
    let name = if host.starts_with('[') { &*host } else { host.split(':').next().unwrap_or(&host) };
    let name = name.trim_end_matches('.');
    NAMES.contains(&name)
        || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
        || name.parse::<u32>().is_ok_and(|number| number >> 16 == 0xa9fe)
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
        ] {
            assert!(gives_keys(word), "{word}");
        }
        for word in
            ["", "metadata", "http://metadata.example/x", "https://a.example/169.254.1", "1.169.254.3", "a=b"]
        {
            assert!(!gives_keys(word), "{word}");
        }
    }
}
