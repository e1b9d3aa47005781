//! Ctrl-C and its kin: the first asks the search to end with what it has, the second ends nub at once.
//!
//! Ending at once is safe: the guards of running commands see nub go, and end them.

use crate::exit::ExitCode;
use nub_lab::process::Cancel;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Hears that the user wants an end.
pub struct Interrupt {
    happened: Arc<AtomicBool>,
    current: Arc<Mutex<Cancel>>,
}

impl Interrupt {
    /// Listens from now on.
    pub fn listen() -> io::Result<Interrupt> {
        let (mut ear, bell) = UnixStream::pair()?;
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::low_level::pipe::register(signal, bell.try_clone()?)?;
        }
        let interrupt = Interrupt {
            happened: Arc::new(AtomicBool::new(false)),
            current: Arc::new(Mutex::new(Cancel::new()?)),
        };
        let (happened, current) = (Arc::clone(&interrupt.happened), Arc::clone(&interrupt.current));
        std::thread::spawn(move || {
            let mut byte = [0];
            while ear.read_exact(&mut byte).is_ok() {
                if happened.swap(true, Ordering::SeqCst) {
                    std::process::exit(ExitCode::Interrupted as i32);
                }
                current.lock().unwrap_or_else(PoisonError::into_inner).cancel();
            }
        });
        Ok(interrupt)
    }

    /// A token for one search, which an interrupt cancels.
    pub fn token(&self) -> io::Result<Cancel> {
        let token = Cancel::new()?;
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = token.clone();
        if self.happened() {
            token.cancel();
        }
        Ok(token)
    }

    /// Whether the user wants an end.
    pub fn happened(&self) -> bool {
        self.happened.load(Ordering::SeqCst)
    }
}
