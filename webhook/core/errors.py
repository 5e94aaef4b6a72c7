"""Errors by who must act on them. Everything else that is raised is a fault in ResourceClass itself."""


class ResourceClassError(Exception):
    """Base of the errors that carry a sentence for a person."""


class BadInput(ResourceClassError):
    """What was sent or given cannot be read; the sender must change it. Names the place and the remedy."""


class BadReview(BadInput):
    """The body of an admission call is no AdmissionReview. `code` is the HTTP status of the answer."""

    def __init__(self, message: str, code: int = 400) -> None:
        super().__init__(message)
        self.code = code


class ClusterUnavailable(ResourceClassError):
    """The API server did not answer, or not in time; the caller may retry."""


class NotReady(ResourceClassError):
    """This process has not seen enough of the cluster yet to answer rightly; the caller may retry."""
