//! Formats of secrets, each with the place that publishes it.

/// Characters that a token consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Charset {
    /// `A-Z0-9`, exactly as many as the format has.
    Upper,
    /// `A-Za-z0-9`
    Letters,
    /// `A-Za-z0-9_`
    Words,
    /// `A-Za-z0-9_-`
    Base64Url,
    /// `A-Za-z0-9_-`, in parts with dots between them.
    Dotted,
    /// Parts of base64url of which the second is one too: header, payload, signature.
    Jwt,
}

#[derive(Debug)]
pub(super) struct TokenFormat {
    /// Beginning, which stays readable.
    pub(super) prefix: &'static str,
    pub(super) charset: Charset,
    /// Least characters behind the prefix.
    pub(super) least: usize,
    /// True if words of a language have this form too: then a run of letters and digits must be in it.
    pub(super) random: bool,
}

const fn exact(prefix: &'static str, charset: Charset, least: usize) -> TokenFormat {
    TokenFormat { prefix, charset, least, random: false }
}

const fn random(prefix: &'static str, charset: Charset, least: usize) -> TokenFormat {
    TokenFormat { prefix, charset, least, random: true }
}

/// Formats of tokens. Of prefixes that begin alike, the longest comes first.
pub(super) const TOKENS: &[TokenFormat] = &[
    // docs.github.com/authentication/keeping-your-account-and-data-secure/about-authentication-to-github; 36 characters, more
    // for installations.
    exact("ghp_", Charset::Words, 36),
    exact("gho_", Charset::Words, 36),
    exact("ghu_", Charset::Words, 36),
    exact("ghs_", Charset::Dotted, 36),
    exact("ghr_", Charset::Words, 36),
    exact("github_pat_", Charset::Words, 36),
    // docs.gitlab.com/security/tokens/#token-prefixes
    random("glpat-", Charset::Dotted, 20),
    random("gldt-", Charset::Base64Url, 20),
    random("glrt-", Charset::Dotted, 20),
    random("glcbt-", Charset::Base64Url, 20),
    random("glptt-", Charset::Base64Url, 20),
    random("gloas-", Charset::Base64Url, 20),
    // docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html
    exact("AKIA", Charset::Upper, 16),
    exact("ASIA", Charset::Upper, 16),
    // api.slack.com/authentication/token-types
    random("xoxb-", Charset::Base64Url, 20),
    random("xoxp-", Charset::Base64Url, 20),
    random("xoxa-", Charset::Base64Url, 20),
    random("xoxr-", Charset::Base64Url, 20),
    random("xoxs-", Charset::Base64Url, 20),
    random("xoxe.", Charset::Base64Url, 20),
    random("xoxe-", Charset::Base64Url, 20),
    random("xapp-", Charset::Base64Url, 20),
    // docs.stripe.com/keys, docs.stripe.com/webhooks
    exact("sk_live_", Charset::Letters, 16),
    exact("rk_live_", Charset::Letters, 16),
    exact("sk_test_", Charset::Letters, 16),
    exact("rk_test_", Charset::Letters, 16),
    exact("whsec_", Charset::Letters, 32),
    // platform.openai.com/docs/api-reference/authentication, docs.anthropic.com/en/api/overview, openrouter.ai/docs
    random("sk-ant-", Charset::Base64Url, 20),
    random("sk-proj-", Charset::Base64Url, 20),
    random("sk-or-", Charset::Base64Url, 20),
    random("sk-", Charset::Base64Url, 20),
    // cloud.google.com/docs/authentication/api-keys; OAuth clients
    exact("AIza", Charset::Base64Url, 35),
    random("GOCSPX-", Charset::Base64Url, 24),
    // docs.npmjs.com/about-access-tokens; github.blog/changelog/2021-09-23-npm-has-a-new-access-token-format
    exact("npm_", Charset::Letters, 36),
    // pypi.org/help/#apitoken; a macaroon in base64url
    random("pypi-", Charset::Base64Url, 50),
    // docs.sendgrid.com/ui/account-and-settings/api-keys
    random("SG.", Charset::Dotted, 60),
    // rfc-editor.org/rfc/rfc7519: `eyJ` is the beginning of `{"` in base64
    random("eyJ", Charset::Jwt, 8),
    // huggingface.co/docs/hub/security-tokens
    exact("hf_", Charset::Letters, 30),
    // docs.docker.com/security/access-tokens
    random("dckr_pat_", Charset::Base64Url, 20),
    random("dckr_oat_", Charset::Base64Url, 20),
    // developer.hashicorp.com/vault/docs/concepts/tokens
    random("hvs.", Charset::Base64Url, 24),
    random("hvb.", Charset::Base64Url, 24),
    // guides.rubygems.org/api-key-scopes
    exact("rubygems_", Charset::Letters, 48),
    // docs.digitalocean.com/reference/api/create-personal-access-token
    exact("dop_v1_", Charset::Letters, 64),
    // tailscale.com/kb/1277/key-prefixes
    random("tskey-", Charset::Base64Url, 20),
    // grafana.com/docs/grafana/latest/administration/service-accounts
    exact("glsa_", Charset::Words, 32),
    // age-encryption.org/v1
    exact("AGE-SECRET-KEY-1", Charset::Letters, 58),
];

/// Ends of a name that calls its value a secret, in lower case and without what separates words.
pub(super) const NAMES: &[&str] = &[
    "password", "passwd", "passphrase", "secret", "token", "apikey", "accesskey", "secretkey", "privatekey",
    "authkey", "accountkey", "signingkey", "encryptionkey", "masterkey", "storepass",
];

/// Names that no end tells: variables of sshpass, MySQL and redis-cli, from their manuals.
pub(super) const WHOLE_NAMES: &[&str] = &["sshpass", "mysqlpwd", "redisclauth"];

/// End of the names of variables (`DB_PASS`), as it is written: `BYPASS` is none.
pub(super) const PASS: &[&str] = &["_pass", "-pass"];

/// Values that stand for a secret in help texts and prose, and those that are none.
pub(super) const PLACEHOLDERS: &[&str] = &[
    "string", "str", "text", "value", "file", "path", "option", "options", "flag", "name", "stdin", "prompt",
    "true", "false", "null", "nil", "none", "undefined", "yes", "no", "and", "or", "is", "to", "for", "with",
    "the", "in", "must", "from",
];

/// Headers whose value is a secret as a whole (RFC 9110, and what GitLab, Vault and Google publish).
pub(super) const HEADERS: &[&str] = &[
    "private-token", "job-token", "deploy-token", "x-api-key", "x-auth-token", "x-vault-token",
    "x-goog-api-key", "x-amz-security-token",
];

/// Headers of a scheme and credentials (RFC 9110, 11.6 and 11.7).
pub(super) const CREDENTIALS: &[&str] = &["authorization", "proxy-authorization"];

/// Option of a program that takes a password.
#[derive(Debug)]
pub(super) struct PasswordOption {
    pub(super) program: &'static str,
    pub(super) option: &'static str,
    /// True if the value may be the next word, else it stands in the same one.
    pub(super) apart: bool,
    /// True if a name and a colon stand before the password.
    pub(super) named: bool,
}

const fn option(program: &'static str, option: &'static str, apart: bool, named: bool) -> PasswordOption {
    PasswordOption { program, option, apart, named }
}

/// Options that only their program tells, from its manual.
pub(super) const OPTIONS: &[PasswordOption] = &[
    option("curl", "-u", true, true),
    option("curl", "--user", true, true),
    option("curl", "-U", true, true),
    option("curl", "--proxy-user", true, true),
    option("sshpass", "-p", true, false),
    option("redis-cli", "-a", true, false),
    option("mysql", "-p", false, false),
    option("mysqldump", "-p", false, false),
    option("mysqladmin", "-p", false, false),
];
