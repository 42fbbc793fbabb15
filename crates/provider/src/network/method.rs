//! The methods that the host sends for a plugin. Others are of no use to a codec (`TRACE` sends the key back), or do
//! something other than asking (`CONNECT`).

use reqwest::Method;

use crate::error::sanitize_message;

const METHODS: [Method; 6] =
    [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::HEAD];

/// # Errors
/// A message, for any other.
pub(super) fn read(name: &str) -> Result<Method, String> {
    METHODS.into_iter().find(|method| method.as_str() == name).ok_or_else(|| {
        let names: Vec<_> = METHODS.iter().map(Method::as_str).collect();
        format!("`{}` is not one of the methods {}", sanitize_message(name), names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_methods_that_ask_are_sent() {
        assert_eq!(read("POST").unwrap(), Method::POST);
        for other in ["post", "CONNECT", "TRACE", "OPTIONS", "PO ST", "", "POST\r\n"] {
            assert!(read(other).unwrap_err().contains("GET, POST, PUT, PATCH, DELETE, HEAD"), "{other}");
        }
    }
}
