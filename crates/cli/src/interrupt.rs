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
use std::time::{Duration, Instant};

/// Signals that come so soon one after the other are one wish: some programs tell a process and its group.
const ONE_WISH: Duration = Duration::from_millis(200);

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
            let mut first: Option<Instant> = None;
            while ear.read_exact(&mut byte).is_ok() {
                match first {
                    Some(at) if at.elapsed() < ONE_WISH => {}
                    Some(_) => std::process::exit(ExitCode::Interrupted as i32),
                    None => {
                        first = Some(Instant::now());
                        happened.store(true, Ordering::SeqCst);
                        current.lock().unwrap_or_else(PoisonError::into_inner).cancel();
                    }
                }
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
