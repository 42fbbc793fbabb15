//! Connections: so many at once, none that waits for its headers for ever, and an end within a bound.
//!
//! Our own loop, because that of axum has no time limits: whoever sends a byte now and then would keep a connection for ever.

use axum::Router;
use axum::extract::{ConnectInfo, Request};
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
use tokio::sync::Semaphore;

/// Most connections at once; others wait in the system's queue until one ends.
const MOST: usize = 1_024;

/// How long the headers of a request may take, from the end of the request before.
const HEADERS_WITHIN: Duration = Duration::from_secs(15);

/// Largest headers of a request, in bytes.
const LARGEST_HEADERS: usize = 64 << 10;

/// How long the answers that are under way may take when the service stops. Streams of events have no other end.
const ENDS_WITHIN: Duration = Duration::from_secs(10);

/// How long nothing is accepted after the system could not: it has no file descriptors left, say.
const PAUSE: Duration = Duration::from_secs(1);

/// Answers the requests of all connections until `stop` says so, then finishes those that are under way.
///
/// # Errors
/// When the listener fails for good.
pub(super) async fn serve(
    router: Router,
    listener: TcpListener,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let (room, graceful) = (Arc::new(Semaphore::new(MOST)), GracefulShutdown::new());
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = async {
            let place = Arc::clone(&room).acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            accepted = accepted => accepted,
            () = &mut stop => break,
        };
        match accepted {
            Ok((stream, peer)) => {
                // Answers are small and written at once.
                let _ = stream.set_nodelay(true);
                let connection = connection(stream, peer, router.clone(), graceful.watcher());
                tokio::spawn(async move {
                    connection.await;
                    drop(place);
                });
            }
            // The client has gone before it was heard.
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

fn is_of_the_client(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Answers the requests of one connection.
async fn connection<S>(stream: S, peer: SocketAddr, router: Router, watcher: Watcher)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let answer = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        TowerToHyperService::new(router.clone()).call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS_WITHIN)
        .max_buf_size(LARGEST_HEADERS)
        .serve_connection(TokioIo::new(stream), answer);
    // What a client does wrong was answered, where it could be.
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
        tokio::spawn(connection(theirs, ([127, 0, 0, 1], 1).into(), router, graceful.watcher()));
        (ours, graceful)
    }

    /// Time stands still until nothing else can happen, so this takes none.
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
