//! The share of the service that one name may take at a time, so that none takes all of it.

use super::access::Identity;
use super::api::ApiError;
use super::blocking::on_blocking_thread;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;

/// The most requests of a name at once: some wait until a document is done.
const MOST_REQUESTS: usize = 256;

/// The most streams of events of a name at once: one for a page in each of many tabs.
const MOST_STREAMS: usize = 16;

/// The most streams of all names at once. Each keeps a connection for as long as its client listens.
const MOST_STREAMS_OF_ALL: usize = 512;

/// Computations of a name at once, such as scoring; others wait, and are dropped with their requests.
const COMPUTATIONS: usize = 2;

/// The shares that names take at the moment, by their tokens' names.
#[derive(Default)]
pub(super) struct Shares {
    usage: Arc<Mutex<BTreeMap<String, ShareUsage>>>,
}

/// The share that one name takes.
struct ShareUsage {
    requests: usize,
    streams: usize,
    computing: Arc<Semaphore>,
}

impl Default for ShareUsage {
    fn default() -> Self {
        ShareUsage { requests: 0, streams: 0, computing: Arc::new(Semaphore::new(COMPUTATIONS)) }
    }
}

/// The kind of a share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ShareKind {
    Request,
    Stream,
}

/// A share that is given back when it is dropped.
pub(super) struct ShareGuard {
    usage: Arc<Mutex<BTreeMap<String, ShareUsage>>>,
    name: String,
    kind: ShareKind,
}

impl ShareUsage {
    fn of(&mut self, kind: ShareKind) -> &mut usize {
        match kind {
            ShareKind::Request => &mut self.requests,
            ShareKind::Stream => &mut self.streams,
        }
    }
}

impl Shares {
    /// Takes a slot among the requests of a name.
    ///
    /// # Errors
    /// That it has too many.
    pub(super) fn request(&self, name: &str) -> Result<ShareGuard, ApiError> {
        self.take(name, ShareKind::Request, MOST_REQUESTS)
    }

    /// Takes a slot among the streams of a name.
    ///
    /// # Errors
    /// That it has too many, or all have.
    pub(super) fn stream(&self, identity: &Identity) -> Result<ShareGuard, ApiError> {
        let all: usize = {
            let usage = self.usage.lock().unwrap_or_else(PoisonError::into_inner);
            usage.values().map(|usage| usage.streams).sum()
        };
        let most = if all < MOST_STREAMS_OF_ALL { MOST_STREAMS } else { 0 };
        self.take(&identity.name, ShareKind::Stream, most)
    }

    fn take(&self, name: &str, kind: ShareKind, most: usize) -> Result<ShareGuard, ApiError> {
        let mut usage = self.usage.lock().unwrap_or_else(PoisonError::into_inner);
        let count = usage.entry(name.to_owned()).or_default().of(kind);
        if *count >= most {
            return Err(ApiError::too_much_at_once());
        }
        *count += 1;
        Ok(ShareGuard { usage: Arc::clone(&self.usage), name: name.to_owned(), kind })
    }

    /// Does CPU-bound work, after other such work of the same name. Work that has not begun when its request is given
    /// up never begins.
    ///
    /// # Errors
    /// Those of the work; that it panicked.
    pub(super) async fn computed<T, E>(
        &self,
        identity: &Identity,
        work: impl FnOnce() -> Result<T, E> + Send + 'static,
    ) -> Result<T, ApiError>
    where
        T: Send + 'static,
        E: Into<ApiError> + Send + 'static,
    {
        let computing = {
            let mut usage = self.usage.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(&usage.entry(identity.name.clone()).or_default().computing)
        };
        let place = computing.acquire_owned().await;
        // The slot is given back when the work is done, and not when the client leaves.
        on_blocking_thread(move || {
            let done = work();
            drop(place);
            done
        })
        .await
    }
}

impl Drop for ShareGuard {
    fn drop(&mut self) {
        let mut usage = self.usage.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(of_name) = usage.get_mut(&self.name) else { return };
        let count = of_name.of(self.kind);
        *count = count.saturating_sub(1);
        // A computation belongs to a request.
        if of_name.requests == 0
            && of_name.streams == 0
            && of_name.computing.available_permits() == COMPUTATIONS
        {
            usage.remove(&self.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::AccessRole;

    fn identity(name: &str) -> Identity {
        Identity { name: name.to_owned(), role: AccessRole::Submit }
    }

    #[test]
    fn a_name_takes_its_share_and_no_more() {
        let shares = Shares::default();
        let guards: Vec<ShareGuard> =
            (0..MOST_REQUESTS).map(|_| shares.request("ada").ok().unwrap()).collect();
        assert!(shares.request("ada").is_err() && shares.request("bob").is_ok());
        drop(guards);
        assert!(shares.request("ada").is_ok());
        assert!(shares.usage.lock().unwrap().is_empty(), "nothing is kept of who takes nothing");
    }

    #[test]
    fn streams_of_all_leave_connections_for_others() {
        let shares = Shares::default();
        let mut streams = Vec::new();
        for at in 0..MOST_STREAMS_OF_ALL {
            let name = format!("name {}", at / MOST_STREAMS);
            streams.push(shares.stream(&identity(&name)).ok().unwrap());
        }
        assert!(shares.stream(&identity("name 0")).is_err());
        assert!(shares.stream(&identity("another")).is_err());
        streams.clear();
        let own: Vec<ShareGuard> =
            (0..MOST_STREAMS).map(|_| shares.stream(&identity("ada")).ok().unwrap()).collect();
        assert!(shares.stream(&identity("ada")).is_err() && shares.stream(&identity("bob")).is_ok());
        drop(own);
    }

    /// A computation that waits when its request is given up never begins, and gives its slot to the next.
    #[tokio::test]
    async fn work_that_has_not_begun_ends_with_its_request() {
        let shares = Arc::new(Shares::default());
        let places = shares.usage.lock().unwrap().entry("ada".to_owned()).or_default().computing.clone();
        let all = places.clone().acquire_many_owned(2).await.unwrap();
        let (asked, waiting) = (Arc::clone(&shares), identity("ada"));
        let given_up = tokio::spawn(async move {
            let work = || -> Result<(), ApiError> { panic!("no one waits for it") };
            asked.computed(&waiting, work).await
        });
        tokio::task::yield_now().await;
        given_up.abort();
        assert!(given_up.await.unwrap_err().is_cancelled());
        drop(all);
        let done = shares.computed(&identity("ada"), || Ok::<_, ApiError>(7)).await;
        assert_eq!(done.ok(), Some(7));
        assert_eq!(places.available_permits(), COMPUTATIONS);
    }
}
