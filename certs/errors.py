"""What can go wrong with certificates, by who must act."""


class CertificateError(Exception):
    """The text is a sentence for the person at the command line: the thing, its place, the remedy."""


class BadRequest(CertificateError, ValueError):
    """A name or a lifetime was asked for that no certificate can carry."""


class Unreadable(CertificateError, ValueError):
    """A file or a text is not what it should be: absent, no PEM, encrypted, of an unknown kind."""


class Refused(CertificateError):
    """It could be done, but would harm: a foreign file, another writer, a key of another certificate."""
