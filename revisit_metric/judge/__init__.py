"""A vision-language judge of frame pairs: what is asked, who answers, what is an answer, what it costs."""
