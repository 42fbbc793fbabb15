//! Access control: who may do what.
//!
//! A service on this machine is reached by every program that runs on it and by every page that a browser has open. So
//! requests are answered only under names that the service goes by (DNS rebinding), changes are made only by requests
//! that come from its own pages or bring a token (CSRF), and no one comes in without a token. The token of a link is in
//! its fragment, which no server, log or Referer sees.

mod guard;
mod hosts;
mod identity;
mod login;
mod role;
mod session;
mod throttle;
mod token;

pub(super) use guard::{PartOfLoggedView, guard, headers};
pub(super) use hosts::Hosts;
pub(super) use identity::{Admin, Identity, Reviewer, Submitter};
pub(super) use login::routes;
pub use role::AccessRole;
pub(super) use throttle::Throttle;
pub use token::{NewAccess, holder_name, issue_token, token_state};
pub(super) use token::{is_valid, revoke_links};
