//! Telling another service: one POST of JSON for each crossing, with numbers and names of profiles, and nothing about
//! documents.

use super::alerts::Crossing;
use super::measures::BoundSide;
use reqwest::{Client, Url, redirect};
use serde_json::{Value, json};
use std::net::IpAddr;
use std::time::Duration;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
const TIMEOUT: Duration = Duration::from_secs(10);
/// The longest address.
const LONGEST: usize = 2_000;

/// The destination of messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WebhookUrl(Url);

impl WebhookUrl {
    /// An address by TLS, or one of this machine.
    ///
    /// # Errors
    /// The reason why it is not one, for people.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let url = Url::parse(text).ok().filter(|_| text.len() <= LONGEST);
        let Some(url) = url else {
            return Err("the webhook is not an address such as `https://example.org/hook`".to_owned());
        };
        let is_reachable = match url.scheme() {
            "https" => url.host_str().is_some(),
            "http" => is_here(&url),
            _ => false,
        };
        if !is_reachable {
            return Err("the webhook must begin with `https://`; `http://` only to this machine".to_owned());
        }
        Ok(WebhookUrl(url))
    }

    /// The server alone: the rest of the address may hold a secret.
    pub(crate) fn server(&self) -> String {
        let port = self.0.port().map(|port| format!(":{port}")).unwrap_or_default();
        format!("{}://{}{port}", self.0.scheme(), self.0.host_str().unwrap_or_default())
    }
}

/// Returns whether it is this machine.
fn is_here(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// The message about a crossing.
pub(crate) fn message(crossing: &Crossing, hours: u32, at: &str) -> Value {
    let measure = crossing.measure;
    json!({
        "event": "threshold_crossed",
        "at": at,
        "profile": crossing.profile,
        "measure": measure.key(),
        "title": measure.title(),
        "value": crossing.value,
        "bound": crossing.bound,
        "alert_when": match measure.side() { BoundSide::Above => "above", BoundSide::Below => "below" },
        "documents": crossing.documents,
        "hours": hours,
    })
}

/// Sends messages.
#[derive(Debug, Clone)]
pub(crate) struct Webhook(Client);

impl Webhook {
    /// # Errors
    /// When there is no client for it: no certificates, an unusable proxy.
    pub(crate) fn new(url: &WebhookUrl) -> Result<Self, String> {
        // The first provider that is installed stays; it makes no difference which.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = Client::builder()
            .user_agent(concat!("loopctl/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(TIMEOUT)
            .referer(false)
            .redirect(redirect::Policy::none());
        let builder = if is_here(&url.0) { builder.no_proxy() } else { builder };
        builder.build().map(Webhook).map_err(|_| "can't set up the network client".to_owned())
    }

    /// Sends one message, once: a server that took it and did not say so must not get it twice.
    ///
    /// # Errors
    /// The failure, without the address.
    pub(crate) async fn send(&self, url: &WebhookUrl, message: &Value) -> Result<(), String> {
        let request =
            self.0.post(url.0.clone()).header("content-type", "application/json").body(message.to_string());
        match request.send().await {
            Ok(answer) if answer.status().is_success() => Ok(()),
            Ok(answer) if answer.status().is_redirection() => {
                Err("it redirects, which is not followed: name the address that it leads to".to_owned())
            }
            Ok(answer) => Err(format!("the answer's status is {}", answer.status().as_u16())),
            Err(error) if error.is_timeout() => Err("no answer in time".to_owned()),
            Err(error) if error.is_connect() => Err("it can't be reached".to_owned()),
            Err(_) => Err("the connection failed".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trends::TrendMeasure;

    #[test]
    fn messages_go_by_tls_or_stay_on_this_machine() {
        for fine in [
            "https://example.org/hook?key=1",
            "http://127.0.0.1:9000/x",
            "http://localhost/x",
            "http://[::1]:80/",
        ] {
            assert!(WebhookUrl::parse(fine).is_ok(), "{fine}");
        }
        for wrong in [
            "",
            "hook",
            "http://example.org/",
            "http://127.0.0.1.example.org/",
            "http://10.0.0.1/",
            "ftp://localhost/",
            "file:///etc/passwd",
        ] {
            assert!(WebhookUrl::parse(wrong).is_err(), "{wrong}");
        }
        assert!(WebhookUrl::parse(&format!("https://example.org/{}", "a".repeat(LONGEST))).is_err());
    }

    #[test]
    fn of_an_address_only_the_server_is_shown() {
        let url = WebhookUrl::parse("https://user:secret@example.org:444/T0/B0/key?token=x").unwrap();
        assert_eq!(url.server(), "https://example.org:444");
    }

    #[test]
    fn a_message_has_numbers_and_names_alone() {
        let crossing = Crossing {
            profile: "clinical".to_owned(),
            measure: TrendMeasure::ThresholdMetRate,
            value: 0.82,
            bound: 0.9,
            documents: 50,
        };
        let message = message(&crossing, 24, "2026-11-27T08:00:00Z");
        let expected = json!({"event": "threshold_crossed", "at": "2026-11-27T08:00:00Z", "profile": "clinical",
            "measure": "threshold_met_rate", "title": "Threshold met", "value": 0.82, "bound": 0.9, "alert_when": "below",
            "documents": 50, "hours": 24});
        assert_eq!(message, expected);
    }
}
