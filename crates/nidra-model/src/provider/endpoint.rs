//! Where a model is, by which protocol it is asked, and with which key: from the settings, else from the environment.

use nidra_core::settings::{ModelSettings, ProviderChoice};
use regex::{NoExpand, Regex};
use std::fmt;
use std::net::IpAddr;
use ureq::http::Uri;
use ureq::http::uri::Authority;

/// What stands where a key stood.
const TAKEN_OUT: &str = "[redacted:key]";

/// Words that are never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes the words.
    pub fn new(words: impl Into<String>) -> Self {
        Self(words.into())
    }

    /// The words, for the one place that sends them.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Words of somebody else without it, also where it stands between other letters, and in every spelling that a string of
    /// JSON has for it: what looks harmless there is the key again for whoever reads it.
    pub fn taken_out_of(&self, words: &str) -> String {
        if self.0.is_empty() {
            return words.to_owned();
        }
        let clean = words.replace(&self.0, TAKEN_OUT);
        if !clean.contains('\\') {
            return clean;
        }
        let spelled: String = self.0.chars().map(spellings).collect();
        // A key of any length makes an expression that can be compiled; where one does not, nothing of the words is shown.
        Regex::new(&spelled).map_or_else(
            |_| TAKEN_OUT.to_owned(),
            |spelled| spelled.replace_all(&clean, NoExpand(TAKEN_OUT)).into_owned(),
        )
    }

    /// Whether it is a word that stands for no key, as servers on this machine take it: people write such words too.
    pub fn is_word(&self) -> bool {
        self.0.len() < LEAST_KEY
    }
}

/// An expression for a letter as it stands, and as strings of JSON may write it, also inside of one another.
fn spellings(letter: char) -> String {
    let plain = match letter {
        '"' | '/' => format!(r"\\*{letter}"),
        '\\' => r"\\+".to_owned(),
        _ => regex::escape(letter.encode_utf8(&mut [0; 4])),
    };
    let units = letter
        .encode_utf16(&mut [0; 2])
        .iter()
        .map(|unit| format!(r"\\+(?i:u{unit:04x})"))
        .collect::<Vec<_>>()
        .concat();
    format!("(?:{plain}|{units})")
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// The protocol by which a model is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Anthropic's Messages.
    Anthropic,
    /// OpenAI's chat completions.
    Openai,
}

impl Protocol {
    /// The name used in settings and in the ledger.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::Openai => "openai",
        }
    }
}

/// What opens the door.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credential {
    /// A key of the provider's.
    Key(Secret),
    /// A token that is borne.
    Token(Secret),
}

/// Where a model is and how it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// The protocol.
    pub protocol: Protocol,
    /// The whole address that questions go to.
    pub url: String,
    /// The host and port, as the ledger shows it.
    pub host: String,
    /// The host is this machine.
    pub local: bool,
    /// The model's identifier.
    pub model: String,
    /// The key.
    pub credential: Option<Credential>,
}

/// A model that cannot be asked as things are set up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// Nobody named a model.
    #[error("no model is named; set `model.name` or {0}")]
    NoModel(&'static str),
    /// An address is none.
    #[error(
        "{from} is {url:?}, which is no address; write http:// or https:// with a host, without user and query, and behind a colon a port from 1 to 65535"
    )]
    Address {
        /// What it was read from.
        from: &'static str,
        /// What stands there.
        url: String,
    },
    /// A provider elsewhere wants a key.
    #[error("there is no key for {host}; set {variable}, NIDRA_MODEL_KEY or `model.key_file`")]
    NoKey {
        /// The host.
        host: String,
        /// The variable of the protocol.
        variable: &'static str,
    },
}

/// Bytes of a key at least; what is shorter is a word.
const LEAST_KEY: usize = 12;

/// Reads a variable of the environment.
pub type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

impl Endpoint {
    /// Finds out which model is asked where. `key` is what the user's key file holds.
    ///
    /// # Errors
    /// When the model, a usable address or the key of a provider elsewhere is missing.
    pub fn resolve(
        settings: &ModelSettings,
        variables: Variables<'_>,
        key: Option<&str>,
    ) -> Result<Self, SetupError> {
        let endpoint = Self::locate(settings, variables, key)?;
        match endpoint.missing_key() {
            None => Ok(endpoint),
            Some(error) => Err(error),
        }
    }

    /// As [`Self::resolve`], for a look that sends nothing: the key may be missing.
    ///
    /// # Errors
    /// When the model or a usable address is missing.
    pub fn locate(
        settings: &ModelSettings,
        variables: Variables<'_>,
        key: Option<&str>,
    ) -> Result<Self, SetupError> {
        let protocol = protocol(settings, variables);
        let names = Names::of(protocol);
        let (from, base) = match (&settings.base_url, variables(names.base_url)) {
            (Some(base), _) => ("model.base_url", base.clone()),
            (None, Some(base)) => (names.base_url, base),
            (None, None) => (names.base_url, names.default_base.to_owned()),
        };
        let (uri, authority) =
            sound(&base).ok_or_else(|| SetupError::Address { from, url: shown_address(&base) })?;
        let local = is_local(authority.host());
        let model = settings.name.clone().or_else(|| variables(names.model)).filter(|name| !name.is_empty());
        let model = model.ok_or(SetupError::NoModel(names.model))?;
        let host = authority.as_str().to_owned();
        let credential = credential(&names, variables, key);
        Ok(Self { protocol, url: join(&base, uri.path(), protocol), host, local, model, credential })
    }

    /// Words of somebody else without the key.
    pub fn without_key(&self, words: &str) -> String {
        self.secret().map_or_else(|| words.to_owned(), |secret| secret.taken_out_of(words))
    }

    /// What somebody else wrote at length, without the key, unless that is a word.
    pub fn hide_key(&self, words: String) -> String {
        match self.secret() {
            Some(secret) if !secret.is_word() && words.contains(secret.reveal()) => {
                secret.taken_out_of(&words)
            }
            _ => words,
        }
    }

    fn secret(&self) -> Option<&Secret> {
        let (Credential::Key(secret) | Credential::Token(secret)) = self.credential.as_ref()?;
        Some(secret)
    }

    /// What is missing where a provider elsewhere has no key.
    pub fn missing_key(&self) -> Option<SetupError> {
        let missing = self.credential.is_none() && !self.local;
        missing.then(|| SetupError::NoKey { host: self.host.clone(), variable: Names::of(self.protocol).key })
    }
}

/// The host with its port as it is shown, the port, and whether the host is this machine; `None` where it is no address.
pub fn address(url: &str) -> Option<(String, u16, bool)> {
    let (uri, authority) = sound(url)?;
    let usual = if uri.scheme_str() == Some("https") { 443 } else { 80 };
    let port = uri.port_u16().unwrap_or(usual);
    Some((authority.as_str().to_owned(), port, is_local(authority.host())))
}

/// An address that can be asked, with its host; `None` for any other. A name and password in an address, or a key behind
/// its path, would end up in the ledger and in messages.
fn sound(url: &str) -> Option<(Uri, Authority)> {
    let uri: Uri = url.trim().parse().ok()?;
    let authority = uri.authority()?.clone();
    let known = matches!(uri.scheme_str(), Some("http" | "https"));
    let bare = !authority.as_str().contains('@') && !url.contains(['?', '#']);
    (known && bare && !authority.host().is_empty() && is_port(&authority)).then_some((uri, authority))
}

/// Whether what stands behind the host is a port, or nothing does. What is none would be taken for the usual port, and so
/// the key would go to whatever listens there.
fn is_port(authority: &Authority) -> bool {
    match authority.as_str().strip_prefix(authority.host()).unwrap_or_default() {
        "" => true,
        rest => {
            let digits = rest.strip_prefix(':').unwrap_or_default();
            digits.bytes().all(|byte| byte.is_ascii_digit())
                && digits.parse::<u16>().is_ok_and(|port| port > 0)
        }
    }
}

/// The variables of a provider, by which programs are told whom to ask and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Names {
    /// Its address.
    pub base_url: &'static str,
    default_base: &'static str,
    /// Its key.
    pub key: &'static str,
    /// A token that is borne in place of a key.
    pub token: Option<&'static str>,
    /// The model.
    pub model: &'static str,
}

/// The variables of the provider that the settings name, else the environment.
pub fn names(settings: &ModelSettings, variables: Variables<'_>) -> Names {
    Names::of(protocol(settings, variables))
}

impl Names {
    fn of(protocol: Protocol) -> Self {
        match protocol {
            Protocol::Anthropic => Self {
                base_url: "ANTHROPIC_BASE_URL",
                default_base: "https://api.anthropic.com",
                key: "ANTHROPIC_API_KEY",
                token: Some("ANTHROPIC_AUTH_TOKEN"),
                model: "ANTHROPIC_MODEL",
            },
            Protocol::Openai => Self {
                base_url: "OPENAI_BASE_URL",
                default_base: "https://api.openai.com/v1",
                key: "OPENAI_API_KEY",
                token: None,
                model: "OPENAI_MODEL",
            },
        }
    }
}

fn protocol(settings: &ModelSettings, variables: Variables<'_>) -> Protocol {
    let any = |names: &[&str]| names.iter().any(|name| variables(name).is_some());
    match settings.provider {
        ProviderChoice::Anthropic => Protocol::Anthropic,
        ProviderChoice::Openai => Protocol::Openai,
        ProviderChoice::Auto => {
            let anthropic = any(&["ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"]);
            let openai = any(&["OPENAI_BASE_URL", "OPENAI_API_KEY"]);
            if openai && !anthropic { Protocol::Openai } else { Protocol::Anthropic }
        }
    }
}

fn credential(names: &Names, variables: Variables<'_>, key: Option<&str>) -> Option<Credential> {
    let own =
        variables("NIDRA_MODEL_KEY").or_else(|| key.map(str::to_owned)).map(|key| key.trim().to_owned());
    // A line end behind a key comes along from files and clipboards.
    let set = |name: &str| Some(variables(name)?.trim().to_owned()).filter(|key| !key.is_empty());
    let own = own.filter(|key| !key.is_empty()).or_else(|| set(names.key));
    let token = || names.token.and_then(set).map(|token| Credential::Token(Secret::new(token)));
    own.map(|key| Credential::Key(Secret::new(key))).or_else(token)
}

/// The address of the questions below a base that people write with and without slash, and with and without version.
fn join(base: &str, path: &str, protocol: Protocol) -> String {
    let base = base.trim().trim_end_matches('/');
    let path = path.trim_end_matches('/');
    let (end, versioned) = match protocol {
        Protocol::Anthropic => ("/messages", path.ends_with("/v1")),
        // Gateways have paths of their own, such as `/openai` or `/api/v1`.
        Protocol::Openai => ("/chat/completions", !path.is_empty()),
    };
    if base.ends_with(end) {
        return base.to_owned();
    }
    if versioned { format!("{base}{end}") } else { format!("{base}/v1{end}") }
}

/// Whether a host is this machine, without asking anybody.
fn is_local(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.eq_ignore_ascii_case("localhost")
        || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// An address for a message, without what stands in front of an `@` or behind a `?`.
pub fn shown_address(url: &str) -> String {
    let url = url.rsplit_once('@').map_or_else(|| url.to_owned(), |(_, rest)| format!("…@{rest}"));
    match url.split_once(['?', '#']) {
        Some((path, _)) => format!("{path}?…"),
        None => url,
    }
}

#[cfg(test)]
#[path = "endpoint_tests.rs"]
mod tests;
