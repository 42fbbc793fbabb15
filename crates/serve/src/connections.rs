//! Connections: a bounded number at once, none that waits for its headers for ever, and an end within a bound. Some are
//! kept for clients that ask whether the service is up.
//!
//! Our own loop, because that of axum has no time limits: a client that sends a byte now and then would keep a
//! connection for ever.

use super::api::ApiError;
use super::health::PROBES;
use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::response::IntoResponse;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

/// The most connections at once; others wait in the system's queue until one ends.
const MOST: usize = 1_024;

/// Connections beside these that only answer whether the service is up: a busy service must not be mistaken for one
/// that has died.
const FOR_PROBES: usize = 32;

/// The time that the headers of a request may take on one of those.
const PROBES_WITHIN: Duration = Duration::from_secs(2);

/// The time that the headers of a request may take, from the end of the previous request.
const HEADERS_WITHIN: Duration = Duration::from_secs(15);

/// The largest headers of a request, in bytes.
const LARGEST_HEADERS: usize = 64 << 10;

/// The time that answers in flight may take when the service stops. Streams of events have no other end.
const ENDS_WITHIN: Duration = Duration::from_secs(10);

/// The pause after a connection could not be accepted: the system has no file descriptors left, say.
const PAUSE: Duration = Duration::from_secs(1);

/// Answers the requests of all connections until `stop` resolves, then finishes those in flight.
///
/// # Errors
/// When the listener fails for good.
pub(super) async fn serve(
    router: Router,
    listener: TcpListener,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let slots =
        ConnectionSlots { any: Arc::new(Semaphore::new(MOST)), probes: Arc::new(Semaphore::new(FOR_PROBES)) };
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = async {
            let permit = slots.permit().await;
            (permit, listener.accept().await)
        };
        let (permit, accepted) = tokio::select! {
            accepted = accepted => accepted,
            () = &mut stop => break,
        };
        match accepted {
            Ok((stream, peer)) => {
                // Answers are small and written at once.
                let _ = stream.set_nodelay(true);
                let (permit, allowed) = slots.upgrade(permit);
                let connection = connection(stream, peer, router.clone(), graceful.watcher(), allowed);
                tokio::spawn(async move {
                    connection.await;
                    drop(permit);
                });
            }
            // The client left before its connection was accepted.
            Err(error) if is_of_the_client(&error) => {}
            Err(error) => {
                tracing::error!(target: "loopctl", event = "not_accepting", error = %error);
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
    drop(listener);
    tokio::select! {
        () = graceful.shutdown() => {}
        () = tokio::time::sleep(ENDS_WITHIN) => {}
    }
    Ok(())
}

/// Slots for connections.
struct ConnectionSlots {
    any: Arc<Semaphore>,
    probes: Arc<Semaphore>,
}

/// The requests that are answered on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AllowedRequests {
    Everything,
    Probes,
}

type SlotPermit = Result<OwnedSemaphorePermit, AcquireError>;

impl ConnectionSlots {
    /// A slot for the next connection, as soon as there is one.
    async fn permit(&self) -> (SlotPermit, AllowedRequests) {
        tokio::select! {
            biased;
            permit = Arc::clone(&self.any).acquire_owned() => (permit, AllowedRequests::Everything),
            permit = Arc::clone(&self.probes).acquire_owned() => (permit, AllowedRequests::Probes),
        }
    }

    /// A better slot, if there is one now.
    fn upgrade(&self, permit: (SlotPermit, AllowedRequests)) -> (SlotPermit, AllowedRequests) {
        match (permit, Arc::clone(&self.any).try_acquire_owned()) {
            ((_, AllowedRequests::Probes), Ok(better)) => (Ok(better), AllowedRequests::Everything),
            (permit, _) => permit,
        }
    }
}

fn is_of_the_client(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Answers the requests of one connection.
async fn connection<S>(
    stream: S,
    peer: SocketAddr,
    router: Router,
    watcher: Watcher,
    allowed: AllowedRequests,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let answer = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        let router = router.clone();
        async move {
            if allowed == AllowedRequests::Probes && !PROBES.contains(&request.uri().path()) {
                return Ok(ApiError::no_room().into_response());
            }
            TowerToHyperService::new(router).call(request).await
        }
    });
    let within = match allowed {
        AllowedRequests::Everything => HEADERS_WITHIN,
        AllowedRequests::Probes => PROBES_WITHIN,
    };
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(within)
        .keep_alive(allowed == AllowedRequests::Everything)
        .max_buf_size(LARGEST_HEADERS)
        .serve_connection(TokioIo::new(stream), answer);
    // Mistakes of the client were answered, where possible.
    let _ = watcher.watch(connection).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

    /// The other end of a connection, and what would end it.
    fn connected() -> (DuplexStream, GracefulShutdown) {
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        let router = Router::new().route("/", get(|| async { "here" }));
        let graceful = GracefulShutdown::new();
        let peer = ([127, 0, 0, 1], 1).into();
        tokio::spawn(connection(theirs, peer, router, graceful.watcher(), AllowedRequests::Everything));
        (ours, graceful)
    }

    #[tokio::test]
    async fn where_all_places_are_taken_there_is_one_for_probes() {
        let slots = ConnectionSlots { any: Arc::new(Semaphore::new(1)), probes: Arc::new(Semaphore::new(1)) };
        let (first, second) = (slots.permit().await, slots.permit().await);
        assert_eq!((first.1, second.1), (AllowedRequests::Everything, AllowedRequests::Probes));
        let second = slots.upgrade(second);
        assert_eq!(second.1, AllowedRequests::Probes);
        drop(first);
        assert_eq!(slots.upgrade(second).1, AllowedRequests::Everything);
    }

    #[tokio::test(start_paused = true)]
    async fn a_place_for_probes_answers_nothing_else_and_not_for_long() {
        let answered = async |sent: &str| {
            let (mut ours, theirs) = tokio::io::duplex(64 << 10);
            let router = Router::new().route("/{*any}", get(|| async { "here" }));
            let graceful = GracefulShutdown::new();
            let peer = ([127, 0, 0, 1], 1).into();
            tokio::spawn(connection(theirs, peer, router, graceful.watcher(), AllowedRequests::Probes));
            ours.write_all(sent.as_bytes()).await.unwrap();
            let (mut said, begun) = (String::new(), tokio::time::Instant::now());
            ours.read_to_string(&mut said).await.unwrap();
            assert!(begun.elapsed() <= PROBES_WITHIN);
            said
        };
        assert!(answered("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").await.contains("here"));
        assert!(answered("GET /readyz?x HTTP/1.1\r\nHost: x\r\n\r\n").await.contains("here"));
        let other = answered("GET /api/jobs HTTP/1.1\r\nHost: x\r\n\r\n").await;
        assert!(other.starts_with("HTTP/1.1 503") && !other.contains("here"), "{other}");
        assert!(!answered("GET /healthz HTTP/1.1\r\n").await.contains("here"));
    }

    /// Time is paused until nothing else can happen, so this takes none.
    #[tokio::test(start_paused = true)]
    async fn who_never_ends_the_headers_is_left() {
        let (mut slow, _graceful) = connected();
        slow.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n").await.unwrap();
        let mut said = Vec::new();
        for _ in 0..60 {
            tokio::time::sleep(Duration::from_secs(1)).await;
            if slow.write_all(b"x").await.is_err() {
                break;
            }
        }
        slow.read_to_end(&mut said).await.unwrap();
        assert!(!String::from_utf8_lossy(&said).contains("here"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_is_used_again_and_ends_when_it_is_not() {
        let (mut client, _graceful) = connected();
        let mut said = Vec::new();
        for _ in 0..2 {
            client.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
        }
        client.read_to_end(&mut said).await.unwrap();
        assert_eq!(String::from_utf8_lossy(&said).matches("here").count(), 2);
    }
}
