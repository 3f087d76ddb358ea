//! The wire itself: one blocking request, bounded in time and size. Redirects are not followed, as keys and evidence
//! would go along.

use super::protocol::Listener;
use super::{Answered, CallError, CallFault, Post, Secret, Transport};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;
use std::io::Read as _;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use ureq::http::HeaderMap;
use ureq::{Agent, Proxy};

/// Bytes of a reply at most; an answer of a model is far below.
const MAX_REPLY: usize = 16 * 1024 * 1024;
/// How often a call in flight looks whether the run was stopped.
const LOOK: Duration = Duration::from_millis(50);
/// How long a connection may take to come about.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A client of HTTP.
#[derive(Clone, Debug)]
pub struct Http {
    agent: Agent,
}

impl Http {
    /// A client that goes through this proxy, where one is given; never give one for a host that is this machine.
    ///
    /// # Errors
    /// When the proxy's address is none.
    pub fn new(proxy: Option<&str>) -> Result<Self, CallError> {
        let unusable = |_| {
            let message = "the address of the proxy cannot be used; mend HTTPS_PROXY or unset it";
            CallError::new(CallFault::Unreachable, message)
        };
        let proxy = proxy.map(Proxy::new).transpose().map_err(unusable)?;
        let config = Agent::config_builder()
            .proxy(proxy)
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .user_agent(concat!("nidra/", env!("CARGO_PKG_VERSION")))
            .build();
        Ok(Self { agent: config.into() })
    }
}

impl Transport for Http {
    /// A blocking call cannot be called off, so it runs beside: when the run is stopped nobody waits for it any more,
    /// and its connection ends with the program or with its time.
    fn post(&self, post: &Post<'_>) -> Result<Answered, CallError> {
        let (sender, receiver) = mpsc::channel();
        let call = OwnedPost {
            url: post.url.to_owned(),
            headers: post.headers.to_vec(),
            body: post.body.to_owned(),
            now: post.now,
            timeout: post.timeout,
            one_object: post.one_object,
        };
        let http = self.clone();
        thread::Builder::new()
            .name("model-call".to_owned())
            .spawn(move || {
                // Nobody listens any more once the run was stopped.
                let _unheard = sender.send(http.send(&call));
            })
            .map_err(|error| CallError::new(CallFault::Unreachable, format!("no thread for it: {error}")))?;
        loop {
            match receiver.recv_timeout(LOOK) {
                Ok(answered) => return answered,
                Err(mpsc::RecvTimeoutError::Timeout) if post.watcher.stopped() => {
                    return Err(CallError::new(CallFault::Stopped, "the run was stopped"));
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    return Err(CallError::new(CallFault::Unreachable, "the call ended without an answer"));
                }
            }
        }
    }
}

/// A request that outlives whoever asked.
struct OwnedPost {
    url: String,
    headers: Vec<(&'static str, Secret)>,
    body: String,
    now: Timestamp,
    timeout: Duration,
    one_object: bool,
}

impl Http {
    fn send(&self, post: &OwnedPost) -> Result<Answered, CallError> {
        let mut request = self.agent.post(&post.url).header("content-type", "application/json");
        for (name, value) in &post.headers {
            request = request.header(*name, value.reveal());
        }
        let request = request.config().timeout_global(Some(post.timeout)).build();
        let response = request.send(&post.body).map_err(|error| failed(&error, post))?;
        let headers = response.headers();
        let content_type = text(headers, "content-type").unwrap_or_default();
        let mut answered = Answered {
            status: response.status().as_u16(),
            content_type: content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase(),
            retry_after: retry_after(headers, post.now),
            location: text(headers, "location"),
            ..Answered::default()
        };
        let mut reader = response.into_body().into_reader();
        let mut listener = post.one_object.then(|| Listener::new(&answered));
        let mut piece = [0; 16 * 1024];
        loop {
            match reader.read(&mut piece) {
                Ok(0) => {
                    answered.complete = true;
                    return Ok(answered);
                }
                Ok(_) if answered.body.len() >= MAX_REPLY => {
                    let message = format!(
                        "{} answers with more than {} MiB, and nidra reads no more of one answer",
                        post.url,
                        MAX_REPLY / 1024 / 1024
                    );
                    return Err(CallError::new(CallFault::Oversized, message));
                }
                Ok(count) => {
                    let piece = piece.get(..count).unwrap_or_default();
                    answered.body.extend_from_slice(piece);
                    // The server stops writing once its reader is gone.
                    if listener.as_mut().is_some_and(|listener| listener.is_done(piece)) {
                        return Ok(answered);
                    }
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                // What came so far tells whether the answer was whole.
                Err(error) => {
                    let error = ureq::Error::from(error);
                    return if is_timeout(&error) { Err(failed(&error, post)) } else { Ok(answered) };
                }
            }
        }
    }
}

fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    Some(headers.get(name)?.to_str().ok()?.trim().to_owned())
}

/// How long the server asks to wait: in milliseconds, in seconds, or until a moment of its own clock, which is ours where
/// it does not tell the time. What no clock can count is the longest time that there is.
fn retry_after(headers: &HeaderMap, timestamp: Timestamp) -> Option<Duration> {
    let seconds = |text: String| {
        let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let seconds: f64 = text.parse().ok().filter(|seconds: &f64| plain || seconds.is_finite())?;
        (seconds >= 0.0).then(|| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
    };
    if let Some(wait) = text(headers, "retry-after-ms").and_then(seconds) {
        return Some(wait / 1_000);
    }
    let wanted = text(headers, "retry-after")?;
    if let Some(wait) = seconds(wanted.clone()) {
        return Some(wait);
    }
    let now = text(headers, "date").and_then(|date| moment(&date));
    let now = now.unwrap_or_else(|| Offset::UTC.to_datetime(timestamp));
    Duration::try_from(moment(&wanted)?.duration_since(now)).ok()
}

/// A moment as HTTP writes it, up to the last one of the year 9999. Who gets the day of the week wrong means the date all the
/// same.
fn moment(text: &str) -> Option<DateTime> {
    let (_, date) = text.split_once(", ")?;
    DateTime::strptime("%d %b %Y %H:%M:%S GMT", date).ok()
}

fn is_timeout(error: &ureq::Error) -> bool {
    match error {
        ureq::Error::Timeout(_) => true,
        ureq::Error::Io(error) => {
            matches!(error.kind(), std::io::ErrorKind::TimedOut | std::io::ErrorKind::WouldBlock)
        }
        _ => false,
    }
}

fn failed(error: &ureq::Error, post: &OwnedPost) -> CallError {
    let url = &post.url;
    if is_timeout(error) {
        let seconds = post.timeout.as_secs();
        return CallError::new(CallFault::TimedOut, format!("{url} did not answer within {seconds} s"));
    }
    let fault = match error {
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => CallFault::Request,
        _ => CallFault::Unreachable,
    };
    let nobody = match error {
        ureq::Error::HostNotFound | ureq::Error::ConnectionFailed => true,
        ureq::Error::Io(error) => error.kind() == std::io::ErrorKind::ConnectionRefused,
        _ => false,
    };
    let advice = if url.starts_with("https://") && !nobody {
        "does the server speak TLS, or is it http://, and is its certificate known to this machine?"
    } else {
        "is it running, and is the address right?"
    };
    CallError::new(fault, format!("{url} cannot be reached ({error}); {advice}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(pairs: &[(&'static str, &'static str)]) -> Option<Duration> {
        let now = "2026-12-01T10:00:00Z".parse().unwrap();
        retry_after(
            &pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect(),
            now,
        )
    }

    #[test]
    fn the_servers_wish_is_read_in_every_form() {
        assert_eq!(wait(&[("retry-after", "7")]), Some(Duration::from_secs(7)));
        assert_eq!(
            wait(&[("retry-after-ms", "250"), ("retry-after", "7")]),
            Some(Duration::from_millis(250))
        );
        let date = ("date", "Tue, 01 Dec 2026 10:00:00 GMT");
        assert_eq!(
            wait(&[("retry-after", "Tue, 01 Dec 2026 10:01:30 GMT"), date]),
            Some(Duration::from_secs(90))
        );
        assert_eq!(wait(&[("retry-after", "Tue, 01 Dec 2026 10:00:05 GMT")]), Some(Duration::from_secs(5)));
        // Another day, whatever the server means.
        let day = Duration::from_secs(86_400);
        let endless = "9".repeat(400);
        let endless: &'static str = Box::leak(endless.into_boxed_str());
        for far in [
            "99999999999999999999",
            endless,
            "Wed, 21 Oct 9999 07:28:00 GMT",
            "Fri, 31 Dec 9999 23:59:59 GMT",
        ] {
            for clock in
                [&[("retry-after", far), date][..], &[("retry-after", far)], &[("retry-after-ms", far)]]
            {
                if clock[0].0 == "retry-after" || !far.contains("GMT") {
                    assert!(wait(clock).unwrap() > day, "{far}");
                }
            }
        }
        for odd in ["soon", "-3", "inf", "1e400", "Tue, 01 Dec 2026 09:00:00 GMT", ""] {
            assert_eq!(wait(&[("retry-after", odd), date]), None, "{odd}");
        }
    }
}
