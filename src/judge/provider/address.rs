//! Addresses as people write them.

/// An address taken apart.
#[derive(Debug)]
pub(super) struct Base<'a> {
    scheme: &'a str,
    /// Host and path, without a slash at the end.
    place: &'a str,
    query: Option<&'a str>,
}

/// Names of query parameters that hold a key.
const KEYS: [&str; 7] = ["key", "api_key", "api-key", "apikey", "token", "access_token", "subscription-key"];

impl<'a> Base<'a> {
    /// Takes `base` apart, or says what is wrong with it without repeating what may be a key.
    pub fn parse(base: &'a str) -> Result<Self, String> {
        let base = base.trim();
        let (scheme, rest) =
            base.split_once("://").ok_or("want an address with its scheme, such as http://HOST:PORT/v1")?;
        if !matches!(scheme, "http" | "https") {
            return Err(format!("found `{scheme}://`, want http:// or https://"));
        }
        let (place, query) = rest.split_once('?').map_or((rest, None), |(place, query)| (place, Some(query)));
        let place = place.trim_end_matches('/');
        let host = place.split('/').next().unwrap_or_default();
        if host.is_empty() {
            return Err(format!("found `{scheme}://` without a host, want http://HOST:PORT/v1"));
        }
        if host.contains('@') {
            return Err("a name or password inside the address would be shown; use `api_key_env`".to_owned());
        }
        if rest.contains('#') {
            return Err("found `#`; the model belongs into `model`".to_owned());
        }
        let mut names = query.unwrap_or_default().split('&').map(|part| part.split('=').next().unwrap_or_default());
        if names.any(|name| KEYS.contains(&name.to_ascii_lowercase().as_str())) {
            return Err("a key inside the address could be logged on its way; use `api_key_env`".to_owned());
        }
        Ok(Self { scheme, place, query })
    }

    /// True for a host without a path.
    pub fn is_bare(&self) -> bool {
        !self.place.contains('/')
    }

    /// True for a resource of Azure.
    pub fn is_azure(&self) -> bool {
        let host = self.place.split(['/', ':']).next().unwrap_or_default();
        host.to_ascii_lowercase().ends_with(".azure.com")
    }

    /// The path, without a slash at the end.
    pub fn path(&self) -> &str {
        self.place.find('/').map_or("", |at| &self.place[at..])
    }

    /// The address with `path` behind the base's own, unless that already ends in it, and the query behind both.
    pub fn with(&self, path: &str) -> String {
        let mut url = format!("{}://{}", self.scheme, self.place);
        if !url.ends_with(path) {
            url.push_str(path);
        }
        if let Some(query) = self.query {
            url.push('?');
            url.push_str(query);
        }
        url
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_address_is_refused_without_showing_a_key() {
        let broken = [
            "h:1/v1",
            "ftp://h/v1",
            "http://",
            "http:///v1",
            "http://user:pw@h/v1",
            "https://h/v1?a=1&KEY=pw",
            "http://h/v1#pw",
        ];
        for broken in broken {
            assert!(Base::parse(broken).is_err_and(|why| !why.contains("pw")), "{broken}");
        }
    }
}
