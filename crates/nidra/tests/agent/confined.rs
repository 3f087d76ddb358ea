//! What holds an agent's program, without any client: the helper with a shell that tries everything.

use crate::support::Home;
use serde_json::{Value, json};
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A folder with a world for an agent, and a secret beside it.
struct Place {
    home: Home,
    world: PathBuf,
}

impl Place {
    fn new() -> Self {
        let home = Home::new();
        let world = home.root.join("staging/world");
        for folder in [world.join("memory"), world.join("sessions"), home.root.join("staging/tmp")] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(home.root.join("secret.txt"), "the planted secret\n").unwrap();
        fs::write(world.join("sessions/s1.txt"), "person: hello\n").unwrap();
        Self { home, world }
    }

    fn spec(&self, script: &str, seconds: u64) -> PathBuf {
        let spec: Value = json!({
            "level": "full",
            "argv": ["/bin/bash", "-c", script],
            "directory": self.world,
            "read": [self.world],
            "execute": ["/usr/bin", "/bin"],
            "write": [self.world.join("memory")],
            "scratch": [self.home.root.join("staging/tmp")],
            "ports": [9],
            "lookups": false,
            "seconds": seconds,
        });
        let path = self.home.root.join("staging/spec.json");
        fs::write(&path, spec.to_string()).unwrap();
        path
    }

    fn command(&self, script: &str, seconds: u64) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nidra"));
        command
            .arg("confined")
            .arg(self.spec(script, seconds))
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("TMPDIR", self.home.root.join("staging/tmp"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn run(&self, script: &str, seconds: u64) -> Output {
        let mut child = self.command(script, seconds).spawn().unwrap();
        // Held open while it runs: its end would end the agent.
        let held = child.stdin.take();
        let output = child.wait_with_output().unwrap();
        drop(held);
        output
    }
}

/// The processes whose command line holds these words.
pub(crate) fn running(words: &str) -> Vec<String> {
    let lines = fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| {
        let bytes = fs::read(entry.path().join("cmdline")).ok()?;
        Some(String::from_utf8_lossy(&bytes).replace('\0', " "))
    });
    lines.filter(|line| line.contains(words)).collect()
}

fn gone(words: &str) -> bool {
    let end = Instant::now() + Duration::from_secs(5);
    while Instant::now() < end {
        if running(words).is_empty() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    false
}

fn tree(root: &Path) -> String {
    crate::tree::words(root)
}

/// Roads around the rules: another protocol than TCP, a connection that is made by sending, what changes a file without
/// opening it, and limits of the process that watches the agent.
#[test]
fn no_call_reaches_around_the_rules() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    let secret = place.home.root.join("secret.txt");
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let script = format!(
        r#"perl -MSocket -e 'my $to = sockaddr_in({port}, inet_aton("127.0.0.1"));
               for my $protocol (262, 132) {{ print "reached\n" if socket(my $s, 2, 1, $protocol) && connect($s, $to) }}
               socket(my $s, 2, 1, 0) && send($s, "leak", 0x20000000, $to) && print "sent\n";
               print "plain\n" if socket(my $p, 2, 1, 6);'
           chmod 777 {secret}; perl -e 'chmod 0777, "{secret}"'; chown 1:1 {secret}; setfattr -n user.x -v y {secret} 2>/dev/null
           prlimit --pid $PPID --nofile=0:0 && echo limited; renice -n 19 -p $PPID && echo slowed
           (setsid sh -c 'exec sleep 4711' &) ; true"#,
        secret = secret.display(),
    );
    let output = place.run(&script, 30);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(said.trim(), "plain", "{output:?}");
    assert!(listener.accept().is_err(), "nobody came");
    let metadata = fs::metadata(&secret).unwrap();
    assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    assert_ne!(std::os::unix::fs::MetadataExt::uid(&metadata), 1);
    assert!(gone("sleep 4711"), "{:?}", running("sleep 4711"));
}

#[test]
fn an_agent_reads_and_writes_its_world_and_nothing_else() {
    let place = Place::new();
    let root = place.home.root.display().to_string();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let datagrams = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    datagrams.set_nonblocking(true).unwrap();
    let datagram_port = datagrams.local_addr().unwrap().port();
    let socket = place.home.root.join("daemon.sock");
    let daemon = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    daemon.set_nonblocking(true).unwrap();
    let before = tree(&place.home.work);
    let script = format!(
        "cat sessions/s1.txt; echo kept > memory/kept.md; cat memory/kept.md
         cat {root}/secret.txt; cat ../../secret.txt; ln -s {root}/secret.txt memory/link; cat memory/link
         ln -s {root}/secret.txt $TMPDIR/link && cat $TMPDIR/link; ln {root}/secret.txt $TMPDIR/hard; cat $TMPDIR/hard
         echo pwned > sessions/s1.txt; echo pwned > ../pwned; echo pwned > {root}/pwned; echo pwned > {root}/secret.txt
         truncate -s 0 {root}/secret.txt; rm -f {root}/secret.txt; mv {root}/secret.txt memory/; chmod 777 {root}
         echo pwned > /tmp/pwned-by-an-agent; mkdir {root}/new; cp /bin/ls memory/ls; memory/ls; cp /bin/ls $TMPDIR/ls; $TMPDIR/ls
         exec 3<>/dev/tcp/127.0.0.1/{port}; curl -s -m 2 http://127.0.0.1:{port}/
         echo pwned > /dev/udp/127.0.0.1/{datagram_port}; curl -s -m 2 --unix-socket {root}/daemon.sock http://x/
         cat /proc/{own}/environ /proc/1/environ; kill -0 $PPID && echo can-signal; kill -0 {own} && echo can-signal
         ls {root} && echo can-list; cat /etc/shadow && echo can-read
         true",
        own = std::process::id(),
    );
    let output = place.run(&script, 30);
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(said, "person: hello\nkept\n", "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(fs::read_to_string(place.home.root.join("secret.txt")).unwrap(), "the planted secret\n");
    assert_eq!(fs::read_to_string(place.world.join("sessions/s1.txt")).unwrap(), "person: hello\n");
    let beside: Vec<_> =
        fs::read_dir(&place.home.root).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert!(!beside.iter().any(|name| name == "pwned" || name == "new"), "{beside:?}");
    assert!(!Path::new("/tmp/pwned-by-an-agent").exists());
    assert_eq!(tree(&place.home.work), before);
    assert!(listener.accept().is_err(), "nobody connected");
    assert!(daemon.accept().is_err(), "nobody connected to a socket in the file system");
    assert!(datagrams.recv(&mut [0; 8]).is_err(), "nobody sent a datagram");
}

#[test]
fn without_the_network_rules_the_same_attempts_are_heard() {
    // Otherwise the test above would prove nothing but that nobody tried.
    let place = Place::new();
    let root = place.home.root.display().to_string();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let datagrams = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let daemon = std::os::unix::net::UnixListener::bind(place.home.root.join("daemon.sock")).unwrap();
    listener.set_nonblocking(true).unwrap();
    datagrams.set_nonblocking(true).unwrap();
    daemon.set_nonblocking(true).unwrap();
    let script = format!(
        "exec 3<>/dev/tcp/127.0.0.1/{}; echo heard > /dev/udp/127.0.0.1/{}
         curl -s -m 1 --unix-socket {root}/daemon.sock http://x/; cat {root}/secret.txt; true",
        listener.local_addr().unwrap().port(),
        datagrams.local_addr().unwrap().port(),
    );
    let spec = place.spec(&script, 20);
    let mut value: Value = serde_json::from_str(&fs::read_to_string(&spec).unwrap()).unwrap();
    value["level"] = json!("files");
    fs::write(&spec, value.to_string()).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_nidra"))
        .args(["confined", "--enter"])
        .arg(&spec)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(listener.accept().is_ok() && daemon.accept().is_ok() && datagrams.recv(&mut [0; 8]).is_ok());
    assert!(!String::from_utf8_lossy(&output.stdout).contains("planted"), "its files are held all the same");
}

#[test]
fn what_an_agent_starts_ends_with_it_wherever_it_hides() {
    let place = Place::new();
    let mark = 86_000 + u64::from(std::process::id() % 10_000);
    let script = format!(
        "(setsid sleep {mark} &); nohup sleep {mark} >/dev/null 2>&1 & disown; (sleep {mark} &) ; exit 7"
    );
    let output = place.run(&script, 30);
    assert_eq!(output.status.code(), Some(7));
    assert!(gone(&format!("sleep {mark}")), "{:?}", running(&format!("sleep {mark}")));
}

#[test]
fn an_agent_that_ignores_the_stop_is_ended_by_time_and_by_our_own_end() {
    let place = Place::new();
    let mark = 76_000 + u64::from(std::process::id() % 10_000);
    let script = format!(
        "trap '' TERM HUP INT; (setsid bash -c \"trap '' TERM; sleep {mark}\" &); while :; do sleep {mark}; done"
    );
    let began = Instant::now();
    let output = place.run(&script, 1);
    assert_eq!(output.status.code(), Some(124));
    assert!(began.elapsed() < Duration::from_secs(20));
    assert!(gone(&format!("sleep {mark}")), "{:?}", running(&format!("sleep {mark}")));
    // Whoever holds the supervisor ends: so does the agent.
    let mut child = place.command(&script, 600).spawn().unwrap();
    let end = Instant::now() + Duration::from_secs(10);
    while running(&format!("sleep {mark}")).is_empty() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!running(&format!("sleep {mark}")).is_empty(), "it runs");
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(124));
    assert!(gone(&format!("sleep {mark}")));
}

#[test]
fn a_program_that_may_not_run_does_not() {
    let place = Place::new();
    let spec = place.spec("echo ran", 10);
    let mut value: Value = serde_json::from_str(&fs::read_to_string(&spec).unwrap()).unwrap();
    value["execute"] = json!([]);
    fs::write(&spec, value.to_string()).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_nidra"))
        .args(["confined", "--enter"])
        .arg(&spec)
        .env_clear()
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(125));
    assert!(String::from_utf8_lossy(&output.stderr).contains("/bin/bash cannot be started"), "{output:?}");
    assert!(output.stdout.is_empty());
}
