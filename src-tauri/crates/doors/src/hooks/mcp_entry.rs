//! Postern as an MCP server in VS Code's `mcp.json`. Everything else in it stays, in its order.

use super::BadSettings;
use serde_json::{Map, Value, json};

/// Name among the servers.
const NAME: &str = "postern";

/// Returns the settings with the server in them.
pub(super) fn install(before: &str, command: &[String]) -> Result<String, BadSettings> {
    let mut settings = object(before)?;
    let servers = settings.entry("servers").or_insert_with(|| json!({}));
    let Value::Object(servers) = servers else {
        return Err(BadSettings::new("\"servers\" is not an object"));
    };
    if servers.get(NAME).is_some_and(|entry| command_words(entry).is_none()) {
        return Err(BadSettings::new("it has another server of the name \"postern\""));
    }
    let (program, arguments) =
        command.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
    servers.insert(NAME.to_owned(), json!({"type": "stdio", "command": program, "args": arguments}));
    Ok(to_pretty_json(&settings))
}

/// Returns the settings without the server; nothing if nothing else is in them.
pub(super) fn uninstall(before: &str) -> Result<String, BadSettings> {
    let mut settings = object(before)?;
    if let Some(Value::Object(servers)) = settings.get_mut("servers")
        && servers.get(NAME).is_some_and(|entry| command_words(entry).is_some())
    {
        servers.shift_remove(NAME);
        if servers.is_empty() {
            settings.shift_remove("servers");
        }
    }
    Ok(if settings.is_empty() { String::new() } else { to_pretty_json(&settings) })
}

/// Returns the words of the command that starts the server, or `None` if it is not in the settings.
pub(crate) fn command(settings: &str) -> Option<Vec<String>> {
    command_words(serde_json::from_str::<Value>(settings).ok()?.get("servers")?.get(NAME)?)
}

fn command_words(entry: &Value) -> Option<Vec<String>> {
    let word = |value: &Value| value.as_str().map(str::to_owned);
    let arguments = entry.get("args")?.as_array()?;
    let words: Option<Vec<String>> =
        std::iter::once(entry.get("command")?).chain(arguments).map(word).collect();
    words.filter(|words| words.len() == 1 || words.iter().any(|word| word == "mcp"))
}

fn object(text: &str) -> Result<Map<String, Value>, BadSettings> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(settings)) => Ok(settings),
        Ok(_) => Err(BadSettings::new("it is not an object")),
        Err(error) => {
            Err(BadSettings::new(&format!("line {}, column {}: {error}", error.line(), error.column())))
        }
    }
}

fn to_pretty_json(settings: &Map<String, Value>) -> String {
    format!("{:#}\n", Value::Object(settings.clone()))
}

#[cfg(test)]
mod tests {
    use super::{command, install, uninstall};

    #[test]
    fn the_server_comes_and_goes_and_others_stay() {
        let ours = ["/opt/postern", "--data", "/d", "mcp", "--agent", "vs-code"].map(str::to_owned);
        let before = "{\n  \"servers\": {\n    \"git\": {\n      \"command\": \"git-mcp\"\n    }\n  }\n}\n";
        let with = install(before, &ours).unwrap();
        assert_eq!(command(&with).as_deref(), Some(&ours[..]));
        assert_eq!(install(&with, &ours).unwrap(), with, "once");
        assert_eq!(uninstall(&with).unwrap(), before);
        assert_eq!(uninstall(&install("", &ours).unwrap()).unwrap(), "");
    }

    #[test]
    fn another_server_of_that_name_is_left_alone() {
        let other = r#"{"servers": {"postern": {"url": "https://example.com"}}}"#;
        assert!(install(other, &[]).is_err());
        assert!(uninstall(other).unwrap().contains("example.com"));
    }
}
