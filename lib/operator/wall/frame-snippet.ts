/** What a page has that shows a wall in an iframe. */

// The frame says its height, and that changes this frame only.
export const frameSnippet = `<iframe src="https://example.com/wall/" title="Testimonials" width="100%" height="900" style="border: 0"></iframe>
<script>
  addEventListener('message', ({ source, data }) => {
    for (const frame of document.querySelectorAll('iframe'))
      if (frame.contentWindow === source && data?.testimonialsWallHeight > 0)
        frame.height = data.testimonialsWallHeight;
  });
</script>`;
