//! The names by which the service is addressed.

use std::net::SocketAddr;

/// The names by which the service is addressed. A page of another site that has its own name point here sends that
/// name, and is refused.
#[derive(Debug, Clone)]
pub(crate) struct Hosts {
    names: Vec<String>,
}

impl Hosts {
    /// Those of this machine with the port that is listened on, and others that were given, with or without a port.
    pub(crate) fn new(listen: SocketAddr, named: &[String]) -> Self {
        let port = listen.port();
        let local = ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}"));
        let named = named.iter().map(|name| name.trim().to_ascii_lowercase());
        Hosts { names: local.into_iter().chain(named).collect() }
    }

    /// Returns whether the header `Host` has a name of the service.
    pub(super) fn allows(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let bare = without_usual_port(&host);
        self.names.iter().any(|name| *name == host || *name == bare)
    }

    /// Returns whether a page is the service's own by its header `Origin`. It is not compared with `Host`, which would
    /// be the same name after a rebinding.
    pub(super) fn allows_origin(&self, origin: &str) -> bool {
        let rest = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
        rest.is_some_and(|host| self.allows(host))
    }
}

/// `example.org:443` is `example.org`.
fn without_usual_port(host: &str) -> &str {
    host.strip_suffix(":443").or_else(|| host.strip_suffix(":80")).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_names_are_its_names() {
        let hosts = Hosts::new("127.0.0.1:8700".parse().unwrap(), &["Loopctl.example.org".to_owned()]);
        for own in [
            "127.0.0.1:8700",
            "localhost:8700",
            "LOCALHOST:8700",
            "[::1]:8700",
            "loopctl.example.org",
            "loopctl.example.org:443",
        ] {
            assert!(hosts.allows(own), "{own}");
        }
        for other in [
            "",
            "localhost",
            "localhost:8701",
            "127.0.0.1",
            "evil.example",
            "evil.example:8700",
            "127.0.0.1:8700.evil.example",
            "loopctl.example.org.evil.example",
            "loopctl.example.org:8700",
        ] {
            assert!(!hosts.allows(other), "{other}");
        }
        assert!(
            hosts.allows_origin("http://localhost:8700")
                && hosts.allows_origin("https://loopctl.example.org")
        );
        for other in [
            "null",
            "",
            "localhost:8700",
            "http://evil.example",
            "file://localhost:8700",
            "https://loopctl.example.org.evil.example",
        ] {
            assert!(!hosts.allows_origin(other), "{other}");
        }
    }
}
