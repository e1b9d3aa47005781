//! A word that stops running commands from another thread.
//!
//! Why a pair of sockets and not only a flag? The runner sleeps in `poll`, which wakes for file descriptors
//! alone. Closing one end makes the other readable for every runner at once, and it stays so.

use std::io;
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A token that stops every command run with it, now or later; clones are the same token.
#[derive(Clone, Debug)]
pub struct Cancel(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    cancelled: AtomicBool,
    bell: UnixStream,
    ear: UnixStream,
}

impl Cancel {
    /// A token nobody has cancelled yet.
    pub fn new() -> io::Result<Cancel> {
        let (bell, ear) = UnixStream::pair()?;
        Ok(Cancel(Arc::new(Shared { cancelled: AtomicBool::new(false), bell, ear })))
    }

    /// Stops the commands; the second call does nothing.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::SeqCst);
        // It fails only if it was done before.
        let _ = self.0.bell.shutdown(Shutdown::Both);
    }

    /// Whether somebody has cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::SeqCst)
    }

    /// Is readable once somebody has cancelled.
    pub(super) fn ear(&self) -> BorrowedFd<'_> {
        self.0.ear.as_fd()
    }
}
