//! Servers that are asked with TLS: whose certificate counts, and the errors about one that does not.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::json;

use crate::workspace::{Ran, Workspace};

/// Of `127.0.0.1`, signed by `authority.pem`; both are good until 2126.
const CERTIFICATE: &[u8] = include_bytes!("tls/server.pem");
/// Of `127.0.0.1` and an authority at once, as `openssl req -x509` makes them; signed by itself.
const OWN_CERTIFICATE: &[u8] = include_bytes!("tls/own.pem");
const OWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/provider/tls/own.pem");
/// Of `elsewhere.invalid`, signed by itself.
const ELSEWHERE_CERTIFICATE: &[u8] = include_bytes!("tls/elsewhere.pem");
const ELSEWHERE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/provider/tls/elsewhere.pem");
const KEY: &[u8] = include_bytes!("tls/server.key");
const AUTHORITY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/provider/tls/authority.pem");

/// Answers every request over TLS.
struct Server {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
}

impl Server {
    fn start(certificate: &[u8]) -> Self {
        let certificate = CertificateDer::from_pem_slice(certificate).unwrap();
        let key = PrivateKeyDer::from_pem_slice(KEY).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .unwrap();
        let config = Arc::new(config);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&connections);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                counted.fetch_add(1, Ordering::SeqCst);
                let session = ServerConnection::new(Arc::clone(&config)).unwrap();
                std::thread::spawn(move || answer(StreamOwned::new(session, stream)));
            }
        });
        Self { address, connections }
    }
}

/// Reads until the body's end, which is a brace, and answers.
fn answer(mut stream: impl Read + Write) {
    let mut request = Vec::new();
    while !request.ends_with(b"}") {
        let mut more = [0; 4096];
        match stream.read(&mut more) {
            Ok(read @ 1..) => request.extend_from_slice(&more[..read]),
            _ => return,
        }
    }
    let body = json!({"answer": "{\"diagnosis\": \"x\"}"}).to_string();
    let _ = write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let _ = stream.flush();
}

fn run(server: &Server, authority: Option<&str>) -> Ran {
    let place = Workspace::new();
    place.write(
        "profiles/net.yaml",
        format!(
            "assess: {{ shape: {{ schema: schemas/x.json }} }}\noverall: {{ shape: 1 }}\naccept: {{ overall: 1 }}\n\
             stop: {{ max_iterations: 1 }}\n\
             stages: [{{ id: extract, provider: contrary, config: {{ base_url: 'https://{}' }} }}]\n",
            server.address
        ),
    );
    place.write("schemas/x.json", r#"{"type": "object", "required": ["diagnosis"]}"#);
    place.write("report.txt", "a report");
    let mut command = place.loopctl(&["run", "--profile", "net", "--type", "pathology", "report.txt"]);
    command.env("CONTRARY_KEY", "key").env_remove("SSL_CERT_FILE").env_remove("SSL_CERT_DIR");
    if let Some(authority) = authority {
        command.env("SSL_CERT_FILE", authority);
    }
    Ran::of(&mut command)
}

#[test]
fn a_certificate_that_nobody_here_trusts_is_looked_at_once() {
    let server = Server::start(CERTIFICATE);
    let ran = run(&server, None).exits(1).says(&[
        "failed (permanent): can't connect to `127.0.0.1:",
        "its certificate is not trusted here",
        "`SSL_CERT_FILE`",
    ]);
    assert!(!ran.err.contains("trying again"), "{}", ran.err);
    assert_eq!(server.connections.load(Ordering::SeqCst), 1);
}

#[test]
fn an_authority_of_the_users_own_is_trusted() {
    run(&Server::start(CERTIFICATE), Some(AUTHORITY)).exits(0);
}

#[test]
fn a_certificate_that_trust_does_not_help_is_told_apart() {
    for (certificate, file, says) in [
        (OWN_CERTIFICATE, OWN, &["`CA:TRUE`", "`basicConstraints=CA:FALSE`"][..]),
        (ELSEWHERE_CERTIFICATE, ELSEWHERE, &["certificate of another host"]),
    ] {
        let ran = run(&Server::start(certificate), Some(file)).exits(1).says(says);
        assert!(!ran.err.contains("not trusted here"), "{}", ran.err);
    }
}
