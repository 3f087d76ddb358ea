//! Ctrl-C and the signal to end: the first asks the run to stop where memory is whole, the second ends the program at
//! once. Even then nothing is lost: the next run puts right what an interrupted one left.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit code of a program that a second signal ended.
const ENDED_AT_ONCE: i32 = 130;

/// Lets a write beyond the limit of a file's size (`ulimit -f`) fail as any other, in place of a signal that ends the
/// program without a word. Programs that it starts have the signal as it was, since what is caught is not inherited.
pub fn survive_file_limit() {
    // Where the system refuses, the program ends there as it did.
    let _refused = flag::register(SIGXFSZ, Arc::default());
}

/// Whether the user asked the run to stop.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens to the signals from now on.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn listen() -> io::Result<Self> {
        let flag = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // In this order: the first signal finds the flag down and raises it, the second finds it raised.
            flag::register_conditional_shutdown(signal, ENDED_AT_ONCE, Arc::clone(&flag))?;
            flag::register(signal, Arc::clone(&flag))?;
        }
        Ok(Self(flag))
    }

    /// Whether a signal came.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
