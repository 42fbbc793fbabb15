//! Sections of the service: groups of pages that declare where they are, who sees them, and what the navigation calls them.

use super::SECTIONS;
use super::layout;
use crate::access::{AccessRole, Identity};
use crate::api::ApiError;
use crate::state::Service;
use axum::Router;
use axum::extract::Request;
use axum::middleware::{self, Next};
use axum::response::Response;
use maud::Markup;
use std::sync::Arc;

/// A section, which is one of [`SECTIONS`].
pub(crate) struct Section {
    /// The address of its first page.
    pub(crate) path: &'static str,
    /// Its name in the navigation.
    pub(crate) name: &'static str,
    /// The role that all of its addresses need; some of them need more.
    pub(crate) role: AccessRole,
    /// Returns whether the page at a path below its address shows a document, so that each look at it is logged.
    pub(crate) shows_document: fn(&str) -> bool,
    /// Its addresses.
    pub(crate) routes: fn(&Service) -> Router<Arc<Service>>,
}

impl Section {
    /// A page of the section.
    pub(crate) fn page(&self, title: &str, identity: &Identity, scripts: &[&str], body: &Markup) -> Markup {
        layout::page(title, identity, Some(self.path), scripts, body)
    }

    fn router(&self, service: &Service) -> Router<Arc<Service>> {
        let role = self.role;
        let admit =
            move |identity: Identity, request: Request, next: Next| admit(role, identity, request, next);
        (self.routes)(service).route_layer(middleware::from_fn(admit))
    }
}

async fn admit(
    role: AccessRole,
    identity: Identity,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    if identity.may(role) { Ok(next.run(request).await) } else { Err(ApiError::not_allowed(&identity, role)) }
}

/// The addresses of all sections.
pub(crate) fn routes(service: &Service) -> Router<Arc<Service>> {
    SECTIONS.iter().fold(Router::new(), |all, section| all.merge(section.router(service)))
}

/// Returns whether the page at a path shows a document.
pub(crate) fn shows_document(path: &str) -> bool {
    SECTIONS.iter().any(|section| {
        let below = path.strip_prefix(section.path).and_then(|below| below.strip_prefix('/'));
        below.is_some_and(section.shows_document)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_show_documents_are_known_by_their_paths() {
        for path in ["/runs/r/d", "/review/r/d", "/review/r/d/file", "/review/agreement"] {
            assert!(shows_document(path), "{path}");
        }
        for path in
            ["/", "/documents/list", "/runs", "/runs/r", "/runsome/r/d", "/trends", "/settings/tokens"]
        {
            assert!(!shows_document(path), "{path}");
        }
    }
}
