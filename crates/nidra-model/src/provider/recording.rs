//! Keeping exchanges, and answering from what was kept: for tests, and for looking at what was sent.
//!
//! A recording holds the request's body, which has no secret in it, and the reply; the key stands in neither.

use super::{Answered, CallError, CallFault, Post, Secret, Transport};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// An exchange as it is kept.
#[derive(Debug, Serialize, Deserialize)]
struct Exchange {
    url: String,
    request: Value,
    status: u16,
    content_type: String,
    retry_after_milliseconds: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    location: Option<String>,
    complete: bool,
    reply: String,
}

/// The hash by which a request is known.
pub fn hash(body: &[u8]) -> String {
    blake3::hash(body).to_hex().to_string()
}

fn place(directory: &Path, body: &str) -> PathBuf {
    directory.join(format!("{}.json", hash(body.as_bytes()).get(..32).unwrap_or_default()))
}

/// Keeps each exchange of another transport in a directory, one file each, readable for the user alone.
#[derive(Debug)]
pub struct Recorder<T> {
    inner: T,
    directory: PathBuf,
}

impl<T> Recorder<T> {
    /// Keeps exchanges in this directory, which is made where it is missing.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn new(inner: T, directory: &Path) -> Result<Self, CallError> {
        if fs::metadata(directory).is_ok_and(|metadata| !metadata.is_dir()) {
            let message = format!(
                "{} is no folder; --record keeps one file for each exchange, in a folder",
                directory.display()
            );
            return Err(CallError::new(CallFault::Recording, message));
        }
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(directory);
        made.map_err(|error| unusable(directory, &error))?;
        Ok(Self { inner, directory: directory.to_owned() })
    }
}

impl<T: Transport> Transport for Recorder<T> {
    fn post(&self, post: &Post<'_>) -> Result<Answered, CallError> {
        let answered = self.inner.post(post)?;
        let milliseconds = |wait: Duration| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        let exchange = Exchange {
            url: post.url.to_owned(),
            request: serde_json::from_str(post.body).unwrap_or_default(),
            status: answered.status,
            content_type: answered.content_type.clone(),
            retry_after_milliseconds: answered.retry_after.map(milliseconds),
            location: answered.location.clone(),
            complete: answered.complete,
            reply: without_keys(&String::from_utf8_lossy(&answered.body), post),
        };
        let path = place(&self.directory, post.body);
        // A link would be written through, and a pipe waits for a reader.
        if fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
            return Err(unusable(&path, &std::io::Error::other("it is no file")));
        }
        let written = serde_json::to_vec_pretty(&exchange).map_err(std::io::Error::other).and_then(|bytes| {
            let mut options = OpenOptions::new();
            let mut file: File = options.write(true).create(true).truncate(true).mode(0o600).open(&path)?;
            file.write_all(&bytes)
        });
        written.map_err(|error| unusable(&path, &error))?;
        Ok(answered)
    }
}

/// Answers from a directory of kept exchanges and opens no connection.
#[derive(Debug)]
pub struct Replay {
    directory: PathBuf,
}

impl Replay {
    /// Answers from this directory.
    pub fn new(directory: &Path) -> Self {
        Self { directory: directory.to_owned() }
    }
}

impl Transport for Replay {
    fn post(&self, post: &Post<'_>) -> Result<Answered, CallError> {
        let path = place(&self.directory, post.body);
        // A pipe would wait for a writer.
        if fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
            return Err(unusable(&path, &std::io::Error::other("it is no file")));
        }
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let message = format!(
                    "{} holds no reply to this question; record one with --record, or leave --offline out",
                    self.directory.display()
                );
                return Err(CallError::new(CallFault::NotRecorded, message));
            }
            Err(error) => return Err(unusable(&path, &error)),
        };
        let exchange: Exchange =
            serde_json::from_slice(&bytes).map_err(|error| unusable(&path, &error.into()))?;
        Ok(Answered {
            status: exchange.status,
            content_type: exchange.content_type,
            retry_after: exchange.retry_after_milliseconds.map(Duration::from_millis),
            location: exchange.location,
            body: exchange.reply.into_bytes(),
            complete: exchange.complete,
        })
    }

    fn replays(&self) -> bool {
        true
    }
}

/// Words of a server without the keys that it was sent.
fn without_keys(words: &str, post: &Post<'_>) -> String {
    let keys = post.headers.iter().filter(|(name, _)| ["x-api-key", "authorization"].contains(name));
    keys.fold(words.to_owned(), |words, (_, header)| {
        let key = header.reveal();
        let key = key.strip_prefix("Bearer ").unwrap_or(key);
        Secret::new(key).taken_out_of(&words)
    })
}

fn unusable(path: &Path, error: &std::io::Error) -> CallError {
    CallError::new(CallFault::Recording, format!("the recording {} cannot be used: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Repeats the key that it was sent.
    #[derive(Debug)]
    struct Echo;

    impl Transport for Echo {
        fn post(&self, _: &Post<'_>) -> Result<Answered, CallError> {
            Ok(Answered { status: 401, body: b"the key played-17 is wrong".to_vec(), ..Answered::default() })
        }
    }

    #[derive(Debug)]
    struct Nobody;

    impl nidra_core::Watcher for Nobody {
        fn tell(&self, _: &nidra_core::Progress) {}

        fn stopped(&self) -> bool {
            false
        }
    }

    #[test]
    fn a_recording_is_a_file_without_the_key() {
        let folder = tempfile::tempdir().unwrap();
        let headers = [("authorization", Secret::new("Bearer played-17"))];
        let timeout = Duration::from_secs(1);
        let (url, body) = ("http://127.0.0.1:9", "{}");
        let post = Post {
            url,
            headers: &headers,
            body,
            now: jiff::Timestamp::UNIX_EPOCH,
            timeout,
            one_object: true,
            watcher: &Nobody,
        };
        let recorder = Recorder::new(Echo, folder.path()).unwrap();
        recorder.post(&post).unwrap();
        let path = place(folder.path(), body);
        let kept = fs::read_to_string(&path).unwrap();
        assert!(!kept.contains("played-17") && kept.contains("[redacted:key] is wrong"), "{kept}");
        let other = folder.path().join("other");
        fs::rename(&path, &other).unwrap();
        std::os::unix::fs::symlink(&other, &path).unwrap();
        assert!(recorder.post(&post).is_err());
        assert_eq!(fs::read_to_string(&other).unwrap(), kept);
        fs::remove_file(&path).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert!(recorder.post(&post).is_err() && Replay::new(folder.path()).post(&post).is_err());
    }
}
